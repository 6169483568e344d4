//! Tables of the codes of diagnostics.

/// Declares constants for codes, the table `ALL` of all codes, and the table `MEANINGS` of their comments.
#[macro_export]
macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal;)*) => {
        $($(#[doc = $doc])* pub const $name: &str = $code;)*

        /// All codes, in order.
        pub const ALL: &[&str] = &[$($code),*];

        /// All codes with what they stand for, in order.
        pub const MEANINGS: &[(&str, &str)] = &[$(($code, concat!($($doc),*))),*];
    };
}
