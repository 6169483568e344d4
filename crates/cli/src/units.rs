//! Sizes and durations as people write and read them.

use std::time::Duration;

/// `512M`, `2GiB`, `1.5g`, `100000`: bytes, with binary multiples.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(format!("unknown unit `{unit}`; write for example 512M or 2G")),
    };
    let number: f64 = number.parse().map_err(|_| "expected a size such as 512M or 2G".to_owned())?;
    let bytes = number * factor as f64;
    if bytes >= 1.0 && bytes < u64::MAX as f64 {
        Ok(bytes as u64)
    } else {
        Err("a size must be at least one byte".to_owned())
    }
}

/// `64Ki`, `512Mi`, `1G`, `2^32`, `65536`: a number of bits, which has to be a power of two; which one.
pub fn parse_bits(text: &str) -> Result<u32, String> {
    let expected = || "expected a power of two, such as 64Ki, 512Mi or 2^32".to_owned();
    let text = text.trim();
    if let Some(exponent) = text.strip_prefix("2^") {
        return exponent.parse().ok().filter(|&exponent| exponent < 64).ok_or_else(expected);
    }
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim().to_ascii_lowercase().trim_end_matches("bit") {
        "" => 0,
        "k" | "ki" => 10,
        "m" | "mi" => 20,
        "g" | "gi" => 30,
        "t" | "ti" => 40,
        _ => return Err(expected()),
    };
    let number: u32 = number.parse().map_err(|_| expected())?;
    if number.is_power_of_two() { Ok(number.ilog2() + factor) } else { Err(expected()) }
}

/// `10s`, `5m`, `1.5h`, `250ms`, `90`: seconds where there is no unit.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(format!("unknown unit `{unit}`; write for example 30s, 5m or 1h")),
    };
    let number: f64 = number.parse().map_err(|_| "expected a duration such as 30s, 5m or 1h".to_owned())?;
    Duration::try_from_secs_f64(number * factor).map_err(|error| error.to_string())
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

/// About so many: `0`, `2.1e-7`, `0.34`, `1 200`.
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
