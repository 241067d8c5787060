//! Moments as text.

use repose_core::time::Wall;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const DAY_MS: u64 = 86_400_000;

/// A moment: RFC 3339 in UTC with milliseconds, `2026-01-31T09:30:00.000Z`. Sorting the text sorts by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
pub struct Time(pub Wall);

impl utoipa::PartialSchema for Time {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
        let format = SchemaFormat::KnownFormat(KnownFormat::DateTime);
        ObjectBuilder::new().schema_type(Type::String).format(Some(format)).into()
    }
}

impl utoipa::ToSchema for Time {}

impl std::fmt::Display for Time {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Wall(ms) = self.0;
        let (year, month, day) = civil(ms / DAY_MS);
        let rest = ms % DAY_MS;
        let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
        let (second, milli) = (rest / 1_000 % 60, rest % 1_000);
        write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

impl std::str::FromStr for Time {
    type Err = NotATime;

    /// Parses what [`Time`] writes, and nothing else.
    fn from_str(text: &str) -> Result<Self, NotATime> {
        let wrong = || NotATime(text.to_owned());
        let number = |range: std::ops::Range<usize>| -> Result<u64, NotATime> {
            text.get(range).and_then(|digits| digits.parse().ok()).ok_or_else(wrong)
        };
        let days = days(number(0..4)?, number(5..7)?, number(8..10)?);
        let seconds = number(11..13)? * 3_600 + number(14..16)? * 60 + number(17..19)?;
        let time = Self(Wall(days * DAY_MS + seconds * 1_000 + number(20..23)?));
        // Formatting the result must give the same text: that catches the 31st of June and every other form.
        if time.to_string() == text { Ok(time) } else { Err(wrong()) }
    }
}

/// A text that isn't in the form of [`Time`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` isn't a time such as 2026-01-31T09:30:00.000Z")]
pub struct NotATime(String);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

impl From<Wall> for Time {
    fn from(wall: Wall) -> Self {
        Self(wall)
    }
}

/// Year, month and day for a day counted from 1970-01-01 (H. Hinnant, "chrono-compatible low-level date
/// algorithms").
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// The inverse. Everything before 1970 counts as 1970-01-01.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year.saturating_sub(1) } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let from_march = (month + 9) % 12;
    let of_year = (153 * from_march + 2) / 5 + day.saturating_sub(1);
    (era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year).saturating_sub(719_468)
}
