//! The amount of work of random tests.

/// The factor by which random tests do more or less than usual.
const VARIABLE: &str = "QUOTIENT_EFFORT";

/// The number of cases of a test that usually tries `usual`: that number times the environment variable
/// `QUOTIENT_EFFORT`, which may be a fraction, and at least one.
pub fn effort(usual: u64) -> u64 {
    match std::env::var(VARIABLE) {
        Ok(text) => scaled(usual, factor(&text)),
        Err(_) => usual,
    }
}

fn factor(text: &str) -> f64 {
    let factor = text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
    factor.unwrap_or_else(|| panic!("{VARIABLE}={text} is not a positive number"))
}

fn scaled(usual: u64, factor: f64) -> u64 {
    ((usual as f64 * factor).round() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_of_the_usual() {
        assert_eq!(scaled(300, factor("1")), 300);
        assert_eq!(scaled(300, factor("20")), 6000);
        assert_eq!(scaled(300, factor("0.1")), 30);
        assert_eq!(scaled(300, factor("1e-9")), 1);
    }

    #[test]
    #[should_panic(expected = "QUOTIENT_EFFORT=much is not a positive number")]
    fn what_is_no_number() {
        factor("much");
    }
}
