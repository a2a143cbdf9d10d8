//! Backups: permission to request one, due times, and interrupted backups.

use std::sync::Arc;

use application::{BackupRefusal, BackupService, Error};
use chrono::TimeDelta;
use domain_kernel::RoleCode;
use domain_settings::{Backup, BackupOrigin, BackupSchedule, BackupState};
use ports::{BackupDates, BackupOutcome, MockBackupLog};

use crate::support::{actor, calendar, now};

const DAILY: Option<BackupSchedule> = Some(BackupSchedule { every: TimeDelta::hours(24), keep: 7 });

fn service(log: MockBackupLog, schedule: Option<BackupSchedule>) -> BackupService {
    BackupService::new(Arc::new(log), calendar(), schedule)
}

fn backup(id: i64, state: BackupState) -> Backup {
    Backup {
        id,
        origin: BackupOrigin::Schedule,
        requested_by: None,
        state,
        file_name: None,
        created_date: now(),
        finished_date: None,
        duration_ms: None,
        size: None,
        detail: None,
    }
}

fn dates(hours_ago: i64) -> BackupDates {
    let date = Some(now() - TimeDelta::hours(hours_ago));
    BackupDates { last_good: date, last_attempt: date }
}

#[tokio::test]
async fn only_admins_read_the_log_and_request_a_backup() {
    for role in [RoleCode::Agent, RoleCode::ContentManager, RoleCode::App] {
        let service = service(MockBackupLog::new(), DAILY);
        assert!(matches!(service.list(&actor(role)).await, Err(Error::Forbidden)));
        assert!(matches!(service.request(&actor(role)).await, Err(Error::Forbidden)));
    }
}

#[tokio::test]
async fn a_request_is_refused_without_a_folder_and_beside_an_unfinished_one() {
    let admin = actor(RoleCode::Admin);
    let off = service(MockBackupLog::new(), None).request(&admin).await;
    assert!(matches!(off, Err(Error::Backup(BackupRefusal::Off))));
    let mut log = MockBackupLog::new();
    log.expect_add().returning(|_, _| Ok(None));
    let beside = service(log, DAILY).request(&admin).await;
    assert!(matches!(beside, Err(Error::Backup(BackupRefusal::Unfinished))));
}

#[tokio::test]
async fn an_interrupted_backup_is_recorded_as_failed_and_the_next_one_waits_an_hour() {
    let mut log = MockBackupLog::new();
    log.expect_unfinished().returning(|| Ok(Some(backup(3, BackupState::Running))));
    log.expect_finish()
        .withf(|id, outcome, _| {
            *id == 3
                && matches!(outcome, BackupOutcome::Failed { detail, .. } if detail.contains("interrupted"))
        })
        .times(1)
        .returning(|_, _, _| Ok(()));
    log.expect_dates().returning(|| Ok(BackupDates { last_attempt: Some(now()), ..dates(30) }));
    assert_eq!(service(log, DAILY).next("x.db").await.unwrap(), None);
}

#[tokio::test]
async fn without_a_folder_interrupted_and_hour_old_requests_end_and_no_backup_is_made() {
    for (state, minutes, reason) in
        [(BackupState::Running, 0, "interrupted"), (BackupState::Waiting, 60, "CARTELERA_BACKUP_DIR")]
    {
        let mut log = MockBackupLog::new();
        let created_date = now() - TimeDelta::minutes(minutes);
        log.expect_unfinished().returning(move || Ok(Some(Backup { created_date, ..backup(3, state) })));
        let is_failed = move |outcome: &BackupOutcome| matches!(outcome, BackupOutcome::Failed { detail, .. } if detail.contains(reason));
        log.expect_finish()
            .withf(move |id, outcome, _| *id == 3 && is_failed(outcome))
            .times(1)
            .returning(|_, _, _| Ok(()));
        log.expect_dates().returning(|| Ok(dates(100)));
        assert_eq!(service(log, None).next("x.db").await.unwrap(), None, "{state:?}");
    }
    // Another node may have a folder.
    for unfinished in [None, Some(backup(3, BackupState::Waiting))] {
        let mut log = MockBackupLog::new();
        let is_unfinished = unfinished.is_some();
        log.expect_unfinished().returning(move || Ok(unfinished.clone()));
        let service = service(log, None);
        assert_eq!(service.next("x.db").await.unwrap(), None);
        assert_eq!(service.has_unfinished().await.unwrap(), is_unfinished);
    }
}

#[tokio::test]
async fn requested_backups_are_made_first_and_due_ones_are_added() {
    let mut log = MockBackupLog::new();
    log.expect_unfinished().returning(|| Ok(Some(backup(4, BackupState::Waiting))));
    log.expect_begin().withf(|id, file| (*id, file) == (4, "x.db")).times(1).returning(|_, _| Ok(()));
    assert_eq!(service(log, DAILY).next("x.db").await.unwrap().map(|one| one.id), Some(4));

    for (hours, expected) in [(23, None), (24, Some(5))] {
        let mut log = MockBackupLog::new();
        log.expect_unfinished().returning(|| Ok(None));
        log.expect_dates().returning(move || Ok(dates(hours)));
        log.expect_add().returning(|_, _| Ok(Some(backup(5, BackupState::Waiting))));
        log.expect_begin().returning(|_, _| Ok(()));
        assert_eq!(service(log, DAILY).next("x.db").await.unwrap().map(|one| one.id), expected);
    }
}

#[tokio::test]
async fn the_last_good_one_is_overdue_after_two_days_where_there_is_a_schedule() {
    for (hours, schedule, overdue) in [(48, DAILY, false), (49, DAILY, true), (49, None, false)] {
        let mut log = MockBackupLog::new();
        log.expect_dates().returning(move || Ok(dates(hours)));
        assert_eq!(service(log, schedule).status().await.unwrap().overdue, overdue, "{hours} {schedule:?}");
    }
}

#[tokio::test]
async fn backups_older_than_the_newest_ones_expire() {
    // The second one was interrupted, perhaps after its file was written.
    let names = || {
        [("4.db", true), ("3.db", false), ("2.db", true), ("1.db", true)]
            .map(|(file, good)| (file.to_owned(), good))
            .to_vec()
    };
    for (schedule, expired) in [
        (Some(BackupSchedule { keep: 1, ..DAILY.unwrap() }), vec!["3.db", "2.db", "1.db"]),
        (Some(BackupSchedule { keep: 2, ..DAILY.unwrap() }), vec!["1.db"]),
        (Some(BackupSchedule { keep: 3, ..DAILY.unwrap() }), vec![]),
        (None, vec![]),
    ] {
        let mut log = MockBackupLog::new();
        log.expect_files().returning(move || Ok(names()));
        assert_eq!(service(log, schedule).expired_files().await.unwrap(), expired, "{schedule:?}");
    }
}
