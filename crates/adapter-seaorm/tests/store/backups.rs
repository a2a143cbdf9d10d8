//! The log of backups.

use adapter_seaorm::SeaOrmBackups;
use chrono::{DateTime, Utc};
use domain_kernel::Origin;
use domain_settings::{BackupOrigin, BackupState};
use ports::{BackupDates, BackupLog, BackupOutcome, Edit};

use crate::support::{TestDb, after, edit_of, on_both, start};

fn failed(detail: &str) -> BackupOutcome {
    BackupOutcome::Failed { detail: detail.to_owned(), duration_ms: Some(10) }
}

/// By the schedule.
fn scheduled(at: DateTime<Utc>) -> Edit {
    Edit { by: None, at, origin: Origin::SERVER }
}

on_both! {
    async fn one_backup_is_unfinished_at_a_time(db: &TestDb) {
        let (log, other) = (SeaOrmBackups(db.database.clone()), SeaOrmBackups(db.other_node().await));
        assert_eq!(log.dates().await.unwrap(), BackupDates::default());
        assert_eq!(log.unfinished().await.unwrap(), None);
        let (by_schedule, by_ana) = (scheduled(start()), edit_of("ana_1", start()));
        let (one, two) = tokio::join!(
            log.add(BackupOrigin::Schedule, &by_schedule),
            other.add(BackupOrigin::Manual, &by_ana),
        );
        let added: Vec<_> = [one.unwrap(), two.unwrap()].into_iter().flatten().collect();
        assert_eq!(added.len(), 1, "of two that are requested at once, one is added");
        let first = &added[0];
        assert_eq!((first.state, first.created_date), (BackupState::Waiting, start()));
        log.begin(first.id, "w.db").await.unwrap();
        assert_eq!(other.unfinished().await.unwrap().unwrap().state, BackupState::Running);
        assert_eq!(log.add(BackupOrigin::Manual, &edit_of("ana_1", after(1))).await.unwrap(), None);

        log.finish(first.id, &failed("no space"), after(1)).await.unwrap();
        let second = log.add(BackupOrigin::Manual, &edit_of("ana_1", after(2))).await.unwrap().unwrap();
        let outcome = BackupOutcome::Good { file_name: "x.db".to_owned(), size: 4096, duration_ms: 1500 };
        log.finish(second.id, &outcome, after(3)).await.unwrap();
        let newest = log.newest(10).await.unwrap();
        assert_eq!(newest.iter().map(|one| one.state).collect::<Vec<_>>(), [BackupState::Good, BackupState::Failed]);
        let good = &newest[0];
        assert_eq!(
            (good.requested_by.as_deref(), good.file_name.as_deref(), good.size, good.duration_ms, good.finished_date),
            (Some("ana_1"), Some("x.db"), Some(4096), Some(1500), Some(after(3)))
        );
        assert_eq!(newest[1].detail.as_deref(), Some("no space"));
        assert_eq!(newest[1].file_name, None, "it may have left none");
        assert_eq!(log.files().await.unwrap(), [("x.db".to_owned(), true), ("w.db".to_owned(), false)]);
        let third = log.add(BackupOrigin::Schedule, &scheduled(after(4))).await.unwrap().unwrap();
        log.finish(third.id, &failed("again"), after(5)).await.unwrap();
        let dates = BackupDates { last_good: Some(after(2)), last_attempt: Some(after(4)) };
        assert_eq!(log.dates().await.unwrap(), dates);
        let fourth = log.add(BackupOrigin::Schedule, &scheduled(after(6))).await.unwrap().unwrap();
        log.finish(fourth.id, &BackupOutcome::Good { file_name: "y.db".to_owned(), size: 1, duration_ms: 1 }, after(7)).await.unwrap();
        assert_eq!(log.files().await.unwrap()[..2], [("y.db".to_owned(), true), ("x.db".to_owned(), true)], "the newest first");
    }

    async fn the_log_keeps_good_ones_and_the_newest_thousand(db: &TestDb) {
        let log = SeaOrmBackups(db.database.clone());
        let good = log.add(BackupOrigin::Schedule, &scheduled(start())).await.unwrap().unwrap();
        log.finish(good.id, &BackupOutcome::Good { file_name: "x.db".to_owned(), size: 1, duration_ms: 1 }, start()).await.unwrap();
        db.run(&format!("UPDATE backups SET id = id - 3000 WHERE id = {}", good.id)).await;
        let first = log.add(BackupOrigin::Schedule, &scheduled(start())).await.unwrap().unwrap();
        log.begin(first.id, "w.db").await.unwrap();
        log.finish(first.id, &failed("first"), start()).await.unwrap();
        db.run(&format!("UPDATE backups SET id = id - 2000 WHERE id = {}", first.id)).await;
        let second = log.add(BackupOrigin::Schedule, &scheduled(after(1))).await.unwrap().unwrap();
        log.finish(second.id, &failed("second"), after(1)).await.unwrap();
        let left: Vec<_> = log.newest(10).await.unwrap().into_iter().map(|one| one.id).collect();
        assert_eq!(left, [second.id, good.id - 3000], "its file is still there");
        log.forget_file("x.db").await.unwrap();
        assert_eq!(log.files().await.unwrap(), []);
        let third = log.add(BackupOrigin::Schedule, &scheduled(after(2))).await.unwrap().unwrap();
        log.finish(third.id, &failed("third"), after(2)).await.unwrap();
        let left: Vec<_> = log.newest(10).await.unwrap().into_iter().map(|one| one.id).collect();
        assert_eq!(left, [third.id, second.id]);
    }
}
