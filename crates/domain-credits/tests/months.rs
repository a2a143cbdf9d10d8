//! Month arithmetic against an independent second implementation: every day of 2024 to 2031, 1 to 120 months,
//! both ways.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use domain_credits::{Holding, OperationType, apply};

const LENGTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

fn length(year: i32, month: u32) -> u32 {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if month == 2 && leap { 29 } else { LENGTHS[month as usize - 1] }
}

/// Counts months one by one and clamps the day at the end.
fn shifted((year, month, day): (i32, u32, u32), months: i64) -> (i32, u32, u32) {
    let (mut year, mut month) = (year, month);
    for _ in 0..months.abs() {
        match (months > 0, month) {
            (true, 12) => (year, month) = (year + 1, 1),
            (true, _) => month += 1,
            (false, 1) => (year, month) = (year - 1, 12),
            (false, _) => month -= 1,
        }
    }
    (year, month, day.min(length(year, month)))
}

#[test]
fn every_day_of_eight_years_by_one_to_120_months_agrees_with_the_second_implementation() {
    let moment =
        |day: NaiveDate| -> DateTime<Utc> { day.and_hms_milli_opt(23, 59, 59, 999).unwrap().and_utc() };
    let now = moment(NaiveDate::from_ymd_opt(2020, 1, 1).unwrap());
    let mut compared = 0;
    let mut day = NaiveDate::from_ymd_opt(2024, 1, 1).unwrap();
    while day.year() <= 2031 {
        let start = (day.year(), day.month(), day.day());
        for amount in 1..=120 {
            for (operation, months) in
                [(OperationType::AddCredits, amount), (OperationType::DeductCredits, -amount)]
            {
                let before = Holding { balance: 1000, expiration: Some(moment(day)) };
                let after = apply(operation, amount, before, now).unwrap();
                let (year, month, date) = shifted(start, months);
                let expected = moment(NaiveDate::from_ymd_opt(year, month, date).unwrap());
                assert_eq!(after.expiration, Some(expected), "{day} {months}");
                assert_eq!(after.balance, 1000 + months);
                compared += 1;
            }
        }
        day = day.succ_opt().unwrap();
    }
    assert_eq!(compared, 2922 * 120 * 2);
}
