//! Short forms of numbers and names.

/// Three significant digits: `9.98`, `120`, `12.5k`.
pub fn count(number: f64) -> String {
    let (number, suffix) = match number.abs() {
        size if size >= 999.5e9 => (number / 1e12, "T"),
        size if size >= 999.5e6 => (number / 1e9, "G"),
        size if size >= 999_500.0 => (number / 1e6, "M"),
        size if size >= 9_999.5 => (number / 1e3, "k"),
        _ => (number, ""),
    };
    format!("{}{suffix}", three_digits(number))
}

/// A rate: `9.98 Hz`, `12.5 kHz`.
pub fn rate(hertz: f64) -> String {
    match hertz {
        size if size >= 999.5e6 => format!("{} GHz", three_digits(size / 1e9)),
        size if size >= 999_500.0 => format!("{} MHz", three_digits(size / 1e6)),
        size if size >= 999.5 => format!("{} kHz", three_digits(size / 1e3)),
        size => format!("{} Hz", three_digits(size)),
    }
}

/// A time: `850 ns`, `12.5 µs`, `1.5 s`.
pub fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        size if size >= 999.5e6 => format!("{} s", three_digits(size / 1e9)),
        size if size >= 999_500.0 => format!("{} ms", three_digits(size / 1e6)),
        size if size >= 999.5 => format!("{} µs", three_digits(size / 1e3)),
        size => format!("{} ns", three_digits(size)),
    }
}

fn three_digits(number: f64) -> String {
    let decimals = match number.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The last part of a type name: `PingTx` for `nvidia::gxf::PingTx`.
pub fn short_type(type_name: &str) -> &str {
    type_name.rsplit("::").next().filter(|name| !name.is_empty()).unwrap_or(type_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(rate(10.0), "10 Hz");
        assert_eq!(rate(9.9799), "9.98 Hz");
        assert_eq!(rate(999.9), "1 kHz");
        assert_eq!(rate(12_540.0), "12.5 kHz");
        assert_eq!(duration(850.0), "850 ns");
        assert_eq!(duration(1500.0), "1.5 µs");
        assert_eq!(duration(2_000_000_000.0), "2 s");
        assert_eq!(count(0.0), "0");
        assert_eq!(count(9999.0), "9999");
        assert_eq!(count(123_456.0), "123k");
    }

    #[test]
    fn type_names_lose_their_namespaces() {
        assert_eq!(short_type("nvidia::gxf::PingTx"), "PingTx");
        assert_eq!(short_type("odd::"), "odd::");
    }
}
