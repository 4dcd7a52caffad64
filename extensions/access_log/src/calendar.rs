//! Dates of the Gregorian calendar to seconds since 1970 and back.
//!
//! Both ways count years from March, so that the leap day is the last day of a year, and eras of
//! 400 years, after which the calendar repeats.

/// Seconds of a day.
pub const DAY: i64 = 86_400;
/// Days of 400 years.
const ERA: i64 = 146_097;
/// Days from 1 March of the year 0 to 1 January 1970.
const EPOCH: i64 = 719_468;

/// A day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Date {
    /// Year.
    pub year: i32,
    /// Month, 1 to 12.
    pub month: u32,
    /// Day of the month, from 1.
    pub day: u32,
}

/// Seconds from the start of 1970 to the start of a day; `None` when there is no such day.
pub fn seconds_since_1970(date: Date) -> Option<i64> {
    if !(1..=12).contains(&date.month) || !(1..=31).contains(&date.day) {
        return None;
    }
    let march_month = (i64::from(date.month) + 9) % 12;
    let march_year = i64::from(date.year) - i64::from(date.month <= 2);
    let (era, year) = (march_year.div_euclid(400), march_year.rem_euclid(400));
    let day_of_year = (153 * march_month + 2) / 5 + i64::from(date.day) - 1;
    let day_of_era = year * 365 + year / 4 - year / 100 + day_of_year;
    let seconds = (era * ERA + day_of_era - EPOCH) * DAY;
    // The 31st of April would have become the 1st of May.
    (date_of(seconds) == date).then_some(seconds)
}

/// The day that contains a time in seconds since 1970.
pub fn date_of(seconds: i64) -> Date {
    let days = seconds.div_euclid(DAY) + EPOCH;
    let (era, day_of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let month = (march_month + 2) % 12 + 1;
    Date {
        year: (era * 400 + year + i64::from(month <= 2)) as i32,
        month: month as u32,
        day: (day_of_year - (153 * march_month + 2) / 5 + 1) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_there_are() {
        for (year, month, day, days) in [
            (1970, 1, 1, 0),
            (1969, 12, 31, -1),
            (2000, 2, 29, 11_016),
            (2000, 3, 1, 11_017),
            (2026, 11, 2, 20_759),
        ] {
            let date = Date { year, month, day };
            assert_eq!(seconds_since_1970(date), Some(days * DAY));
            assert_eq!(date_of(days * DAY + DAY - 1), date);
        }
    }

    #[test]
    fn days_there_are_not() {
        for (year, month, day) in [(2026, 2, 29), (1900, 2, 29), (2026, 4, 31), (2026, 13, 1)] {
            assert_eq!(seconds_since_1970(Date { year, month, day }), None);
        }
    }
}
