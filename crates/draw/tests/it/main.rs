mod layout;
mod pictures;
