//! How long ago, for people.

/// Seconds as one unit, or two where the second one matters: `38s`, `2m14s`, `25m`, `3h`, `4d`.
pub fn since(seconds: f64) -> String {
    // Clocks of two machines, or one that was set back, make it negative.
    let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let s = seconds as u64;
    let (minutes, hours, days) = (s / 60, s / 3600, s / 86_400);
    match s {
        0..60 => format!("{s}s"),
        60..600 if s.is_multiple_of(60) => format!("{minutes}m"),
        60..600 => format!("{minutes}m{}s", s % 60),
        600..3600 => format!("{minutes}m"),
        3600..36_000 if minutes.is_multiple_of(60) => format!("{hours}h"),
        3600..36_000 => format!("{hours}h{}m", minutes % 60),
        36_000..172_800 => format!("{hours}h"),
        _ => format!("{days}d"),
    }
}

#[cfg(test)]
mod tests {
    use super::since;

    #[test]
    fn times_are_one_unit_and_a_half() {
        for (seconds, text) in [
            (0.0, "0s"),
            (38.9, "38s"),
            (60.0, "1m"),
            (134.0, "2m14s"),
            (599.0, "9m59s"),
            (600.0, "10m"),
            (3599.0, "59m"),
            (3600.0, "1h"),
            (5400.0, "1h30m"),
            (10.0 * 3600.0, "10h"),
            (47.0 * 3600.0, "47h"),
            (48.0 * 3600.0, "2d"),
            (-5.0, "0s"),
            (f64::NAN, "0s"),
            (f64::INFINITY, "0s"),
        ] {
            assert_eq!(since(seconds), text, "{seconds}");
        }
    }
}
