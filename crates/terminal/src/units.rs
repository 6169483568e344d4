//! Sizes and durations as people write and read them.

use std::num::IntErrorKind;
use std::time::Duration;

/// A number, with what comes behind it.
fn number_and_unit(text: &str, digits: impl Fn(char) -> bool) -> (&str, &str) {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c| !digits(c)).unwrap_or(text.len()));
    (number, unit.trim())
}

/// Digits, with at most one point.
fn is_decimal(number: &str) -> bool {
    number.contains(|c: char| c.is_ascii_digit()) && number.matches('.').count() <= 1
}

/// `512M`, `2GiB`, `1.5g`, `100000`: bytes, with binary multiples.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = number_and_unit(text, |c| c.is_ascii_digit() || c == '.');
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(format!("unknown unit `{unit}`; write for example 512M or 2G")),
    };
    if !is_decimal(number) {
        return Err("expected a size such as 512M or 2G".to_owned());
    }
    let too_large =
        || format!("the size is too large: at most {}T, which is 2^64 bytes, can be asked for", 1 << 24);
    if let Ok(number) = number.parse::<u64>() {
        // Exact, where a floating-point number may not be.
        let bytes = number.checked_mul(factor).ok_or_else(too_large)?;
        return if bytes == 0 { Err(TOO_SMALL.to_owned()) } else { Ok(bytes) };
    }
    let bytes = number.parse::<f64>().map_err(|_| too_large())? * factor as f64;
    match bytes {
        ..1.0 => Err(TOO_SMALL.to_owned()),
        // The nearest number that is representable.
        _ if bytes >= u64::MAX as f64 => Err(too_large()),
        _ => Ok(bytes as u64),
    }
}

const TOO_SMALL: &str = "a size must be at least one byte";

/// `64Ki`, `512Mi`, `1G`, `2^32`, `65536`: a number of bits, which has to be a power of two; which one.
pub fn parse_bits(text: &str) -> Result<u32, String> {
    let expected = || "expected a power of two, such as 64Ki, 512Mi or 2^32".to_owned();
    let too_large = || "the number of bits is too large: it must be less than 2^64".to_owned();
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if let Some(exponent) = text.trim().strip_prefix("2^") {
        return match exponent.parse() {
            Ok(exponent @ ..64) => Ok(exponent),
            _ if is_number(exponent) => Err(too_large()),
            _ => Err(expected()),
        };
    }
    let (number, unit) = number_and_unit(text, |c| c.is_ascii_digit());
    let factor = match unit.to_ascii_lowercase().trim_end_matches("bit") {
        "" => 0,
        "k" | "ki" => 10,
        "m" | "mi" => 20,
        "g" | "gi" => 30,
        "t" | "ti" => 40,
        _ => return Err(expected()),
    };
    match number.parse::<u64>() {
        Ok(number) if number.is_power_of_two() && number.ilog2() + factor >= 64 => Err(too_large()),
        Ok(number) if number.is_power_of_two() => Ok(number.ilog2() + factor),
        Err(_) if is_number(number) => Err(too_large()),
        _ => Err(expected()),
    }
}

/// `10s`, `5m`, `1.5h`, `250ms`, `90`: seconds where there is no unit.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = number_and_unit(text, |c| c.is_ascii_digit() || c == '.');
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(format!("unknown unit `{unit}`; write for example 30s, 5m or 1h")),
    };
    if !is_decimal(number) {
        return Err("expected a duration such as 30s, 5m or 1h".to_owned());
    }
    let seconds = number.parse::<f64>().unwrap_or(f64::INFINITY) * factor;
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| "the duration is too large: at most 2^64 seconds can be asked for".to_owned())
}

/// A number that counts something, from `least` on.
pub fn parse_count(text: &str, least: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(number) if number >= least => Ok(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => {
            Err(format!("the number is too large: at most {} can be asked for", u64::MAX))
        }
        _ => Err(format!("expected a number from {least} on")),
    }
}

/// A number of bytes for people: `1.4 MiB`.
pub fn bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

/// A number of bits for people: `64 Kibit`.
pub fn bits(bits: u64) -> String {
    let units = ["bit", "Kibit", "Mibit", "Gibit", "Tibit"];
    let unit = ((bits.max(1).trailing_zeros() / 10) as usize).min(units.len() - 1);
    format!("{} {}", count(bits >> (10 * unit)), units[unit])
}

/// An approximate number: `0`, `2.1e-7`, `0.34`, `1 200`.
pub fn about(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        10.0.. => count(number.round() as u64),
        0.01.. => format!("{number:.2}"),
        _ => format!("{number:.1e}"),
    }
}

/// A count for people: `1 234 567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A time that passes, in whole seconds: `7s`, `1m 05s`, `2h 00m`.
pub fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Seconds for people.
pub fn seconds(seconds: f64) -> String {
    if seconds < 0.0995 {
        format!("{:.1} ms", seconds * 1000.0)
    } else if seconds < 120.0 {
        format!("{seconds:.2} s")
    } else {
        format!("{} min {} s", (seconds / 60.0) as u64, (seconds % 60.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("512"), Ok(512));
        assert_eq!(parse_size("64k"), Ok(65536));
        assert_eq!(parse_size("1.5 GiB"), Ok(3 << 29));
        assert!(parse_size("12 parsecs").is_err());
        assert!(parse_size("0").is_err());
        assert!(parse_size("-3M").is_err());
        assert!(parse_size("").is_err());
        assert!(parse_size("1.2.3").is_err_and(|text| text.starts_with("expected a size")));
    }

    /// A number that is too large is not called something else.
    #[test]
    fn what_is_too_large() {
        assert_eq!(parse_size("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(parse_size("16777215T"), Ok(16_777_215 << 40));
        let digits = "9".repeat(400);
        for text in ["99999999999999G", "16777216T", "99999999.9T", "18446744073709551616", &digits] {
            assert!(parse_size(text).is_err_and(|error| error.contains("too large")), "{text}");
        }
        assert!(parse_size("0.1").is_err_and(|error| error.contains("at least one byte")));
        for text in ["99999999999999999999d", "99999999999999999999999", &digits] {
            assert!(parse_duration(text).is_err_and(|error| error.contains("too large")), "{text}");
        }
        for text in ["2^64", "2^99999999999", "16777216Ti", "18446744073709551616", "99999999999999999999Ki"]
        {
            assert!(parse_bits(text).is_err_and(|error| error.contains("too large")), "{text}");
        }
        assert_eq!(parse_bits("9223372036854775808"), Ok(63));
        assert_eq!(parse_count("18446744073709551615", 1), Ok(u64::MAX));
        assert!(parse_count("18446744073709551616", 0).is_err_and(|error| error.contains("too large")));
        assert!(parse_count("0", 1).is_err_and(|error| error == "expected a number from 1 on"));
        for text in ["", "-1", "many"] {
            assert!(
                parse_count(text, 0).is_err_and(|error| error == "expected a number from 0 on"),
                "{text}"
            );
        }
    }

    #[test]
    fn powers_of_two() {
        assert_eq!(parse_bits("64Ki"), Ok(16));
        assert_eq!(parse_bits("64 Kibit"), Ok(16));
        assert_eq!(parse_bits("512M"), Ok(29));
        assert_eq!(parse_bits("1gi"), Ok(30));
        assert_eq!(parse_bits("2^26"), Ok(26));
        assert_eq!(parse_bits("65536"), Ok(16));
        for wrong in ["", "0", "3", "1000", "1.5Gi", "2^64", "2^x", "-2", "64 bytes", "99999999999Ki"] {
            assert!(parse_bits(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(parse_duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        assert!(parse_duration("soon").is_err());
        assert!(parse_duration("99999999999999999999d").is_err());
    }

    #[test]
    fn for_people() {
        assert_eq!(count(1_234_567), "1 234 567");
        assert_eq!(count(12), "12");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3), "3 B");
        assert_eq!(seconds(0.0012), "1.2 ms");
        assert_eq!(bits(1 << 16), "64 Kibit");
        assert_eq!(bits(1 << 30), "1 Gibit");
        assert_eq!(bits(1 << 9), "512 bit");
        assert_eq!([0.0, 2.13e-7, 0.342, 1234.4].map(about), ["0", "2.1e-7", "0.34", "1 234"]);
    }
}
