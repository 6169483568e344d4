//! Tables of the codes of diagnostics.

/// Declares constants for codes, and the table `ALL` of all codes.
#[macro_export]
macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal;)*) => {
        $($(#[doc = $doc])* pub const $name: &str = $code;)*

        /// All codes, in order.
        pub const ALL: &[&str] = &[$($code),*];
    };
}
