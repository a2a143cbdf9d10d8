//! Parser of XMLTV times: with offsets, named zones or neither, with or without seconds.

use chrono::{DateTime, Duration, FixedOffset, LocalResult, NaiveDate, NaiveDateTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use domain_live::guide::GuideFault;

/// Zone names in XMLTV files, in minutes east of Greenwich.
const NAMED: &[(&str, i32)] = &[
    ("UTC", 0),
    ("GMT", 0),
    ("UT", 0),
    ("Z", 0),
    ("WET", 0),
    ("AZOT", -60),
    ("CVT", -60),
    ("WEST", 60),
    ("WAT", 60),
    ("BST", 60),
    ("CET", 60),
    ("MET", 60),
    ("CEST", 120),
    ("MEST", 120),
    ("SAST", 120),
    ("CAT", 120),
    ("EET", 120),
    ("EEST", 180),
    ("MSK", 180),
    ("EAT", 180),
    ("TRT", 180),
    ("IDT", 180),
    ("IRST", 210),
    ("GST", 240),
    ("IST", 330),
    ("PKT", 300),
    ("NPT", 345),
    ("WIB", 420),
    ("ICT", 420),
    ("SGT", 480),
    ("HKT", 480),
    ("MYT", 480),
    ("PHT", 480),
    ("WITA", 480),
    ("AWST", 480),
    ("JST", 540),
    ("KST", 540),
    ("WIT", 540),
    ("ACST", 570),
    ("ACDT", 630),
    ("AEST", 600),
    ("AEDT", 660),
    ("NZST", 720),
    ("NZDT", 780),
    ("NST", -210),
    ("NDT", -150),
    ("BRT", -180),
    ("ART", -180),
    ("UYT", -180),
    ("GFT", -180),
    ("SRT", -180),
    ("BRST", -120),
    ("CLST", -180),
    ("AST", -240),
    ("ADT", -180),
    ("CLT", -240),
    ("VET", -240),
    ("BOT", -240),
    ("GYT", -240),
    ("EST", -300),
    ("EDT", -240),
    ("COT", -300),
    ("PET", -300),
    ("ECT", -300),
    ("CST", -360),
    ("CDT", -300),
    ("MST", -420),
    ("MDT", -360),
    ("PST", -480),
    ("PDT", -420),
    ("AKST", -540),
    ("AKDT", -480),
    ("HDT", -540),
    ("HST", -600),
];

/// Parses a time; without a zone, it is in the guide's.
pub(super) fn read(text: &str, zone: Tz) -> Result<DateTime<Utc>, GuideFault> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|(at, letter)| !(letter.is_ascii_digit() || is_inside(text, *at, *letter)))
        .map_or(text.len(), |(at, _)| at);
    let local = local(&text[..end]).ok_or(GuideFault::InvalidTime)?;
    let named = without_fraction(&text[..end], &text[end..]).trim();
    if named.is_empty() {
        return resolve(local, &zone);
    }
    if let Some(offset) = offset(named) {
        return resolve(local, &offset);
    }
    match named.parse::<Tz>() {
        Ok(zone) => resolve(local, &zone),
        Err(_) => Err(GuideFault::UnknownZone),
    }
}

/// The rest of a time without a fraction of its seconds: `.000Z`.
fn without_fraction<'a>(time: &str, rest: &'a str) -> &'a str {
    let has_seconds = time.bytes().filter(u8::is_ascii_digit).count() == 14;
    match rest.strip_prefix(['.', ',']) {
        Some(digits) if has_seconds && digits.starts_with(|one: char| one.is_ascii_digit()) => {
            digits.trim_start_matches(|one: char| one.is_ascii_digit())
        }
        _ => rest,
    }
}

/// Whether the sign is within `2026-01-26T10:00:00`, not before an offset.
fn is_inside(text: &str, at: usize, letter: char) -> bool {
    match letter {
        '-' => at == 4 || (at == 7 && text.as_bytes()[4] == b'-'),
        'T' | ' ' => at == 10 && text.as_bytes()[4] == b'-',
        ':' => at > 10,
        _ => false,
    }
}

fn local(text: &str) -> Option<NaiveDateTime> {
    let mut digits = [0_u8; 14];
    let mut count = 0;
    for digit in text.bytes().filter(u8::is_ascii_digit) {
        *digits.get_mut(count)? = digit - b'0';
        count += 1;
    }
    if !matches!(count, 8 | 10 | 12 | 14) {
        return None;
    }
    let number = |from: usize, to: usize| {
        digits[from..to].iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
    let date = NaiveDate::from_ymd_opt(number(0, 4).try_into().ok()?, number(4, 6), number(6, 8))?;
    let (hour, minute, second) = (number(8, 10), number(10, 12), number(12, 14));
    // 24:00 is the start of the next day, a leap second the last second of the minute.
    if hour == 24 && minute == 0 && second == 0 {
        return date.succ_opt()?.and_hms_opt(0, 0, 0);
    }
    date.and_hms_opt(hour, minute, second.min(59 + u32::from(second > 60)))
}

fn offset(named: &str) -> Option<FixedOffset> {
    let signed = ["UTC", "GMT"].iter().find_map(|zone| without_prefix(named, zone)).unwrap_or(named).trim();
    let sign = match signed.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => {
            let (_, minutes) = NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(named))?;
            return FixedOffset::east_opt(minutes * 60);
        }
    };
    let (mut number, mut digits, mut colons) = (0, 0, 0);
    for byte in signed.bytes().skip(1) {
        match byte {
            b':' => colons += 1,
            b'0'..=b'9' if digits < 4 => {
                number = number * 10 + i32::from(byte - b'0');
                digits += 1;
            }
            _ => return None,
        }
    }
    let (hours, minutes) = if digits > 2 { (number / 100, number % 100) } else { (number, 0) };
    (digits > 0 && colons <= 1 && hours <= 14 && minutes < 60).then_some(())?;
    FixedOffset::east_opt(sign * (hours * 60 + minutes) * 60)
}

fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// An ambiguous time, at the end of daylight saving, is the earlier one; a skipped time is one hour
/// later.
fn resolve<Z: TimeZone>(local: NaiveDateTime, zone: &Z) -> Result<DateTime<Utc>, GuideFault>
where
    Z::Offset: Offset,
{
    let resolved = match zone.from_local_datetime(&local) {
        LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => Some(time),
        LocalResult::None => local
            .checked_add_signed(Duration::hours(1))
            .and_then(|later| zone.from_local_datetime(&later).earliest()),
    };
    resolved.map(|time| time.with_timezone(&Utc)).ok_or(GuideFault::InvalidTime)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> Result<String, GuideFault> {
        read(text, Tz::UTC).map(|time| time.format("%Y-%m-%dT%H:%M:%S").to_string())
    }

    #[test]
    fn times_are_read_in_every_form_that_guides_have() {
        for (text, expected) in [
            ("20260126000100 +0000", "2026-01-26T00:01:00"),
            ("20221129000000 -0300", "2022-11-29T03:00:00"),
            ("20260126000100", "2026-01-26T00:01:00"),
            ("202601260001", "2026-01-26T00:01:00"),
            ("202601260001 +0100", "2026-01-25T23:01:00"),
            ("2026012600 +01:30", "2026-01-25T22:30:00"),
            ("20260126", "2026-01-26T00:00:00"),
            ("20260126120000 CEST", "2026-01-26T10:00:00"),
            ("20260126120000 BST", "2026-01-26T11:00:00"),
            ("20260126120000 est", "2026-01-26T17:00:00"),
            ("20260126120000Z", "2026-01-26T12:00:00"),
            ("20260126120000+0530", "2026-01-26T06:30:00"),
            ("20260126120000 UTC+2", "2026-01-26T10:00:00"),
            ("20260726120000 Europe/Madrid", "2026-07-26T10:00:00"),
            ("2026-01-26T12:00:00Z", "2026-01-26T12:00:00"),
            ("2026-01-26 12:00:00 +0100", "2026-01-26T11:00:00"),
            ("2026-01-26T12:00:00.000Z", "2026-01-26T12:00:00"),
            ("2026-01-26T12:00:00,5+01:00", "2026-01-26T11:00:00"),
            ("20260126120000.250 -0300", "2026-01-26T15:00:00"),
            ("20260126120000 UYT", "2026-01-26T15:00:00"),
            ("20260126120000 TRT", "2026-01-26T09:00:00"),
            ("20260126120000 ACST", "2026-01-26T02:30:00"),
            ("20260126120000 WITA", "2026-01-26T04:00:00"),
            ("20260126240000 +0000", "2026-01-27T00:00:00"),
            ("20260126235960 +0000", "2026-01-26T23:59:59"),
            ("  20260126000100 +0000  ", "2026-01-26T00:01:00"),
        ] {
            assert_eq!(utc(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn invalid_times_have_a_reason() {
        for text in
            ["", "soon", "2026", "20261326000000", "20260230000000", "20260126250000", "2026012600010"]
        {
            assert_eq!(utc(text), Err(GuideFault::InvalidTime), "{text}");
        }
        for text in [
            "20260126000000 XYZ",
            "20260126000000 +9900",
            "20260126000000 +1:2:3:4",
            "20260126.5",
            "202601261200.5",
            "20260126120000.",
        ] {
            assert_eq!(utc(text), Err(GuideFault::UnknownZone), "{text}");
        }
    }

    #[test]
    fn times_without_a_zone_use_the_guides_offset_of_that_day() {
        let madrid = |text| read(text, Tz::Europe__Madrid).unwrap().format("%d %H:%M").to_string();
        assert_eq!(madrid("20260115120000"), "15 11:00");
        assert_eq!(madrid("20260715120000"), "15 10:00");
        assert_eq!(madrid("20260329023000"), "29 01:30", "does not occur: an hour later");
        assert_eq!(madrid("20261025023000"), "25 00:30", "occurs twice: the earlier");
    }
}
