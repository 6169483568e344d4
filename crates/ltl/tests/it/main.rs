mod hoa;
mod sizes;
mod spin;
mod support;
mod translations;
