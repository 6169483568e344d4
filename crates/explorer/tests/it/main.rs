mod security;
mod session;
mod toy;
