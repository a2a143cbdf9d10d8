//! Runs of playlists: their schedule, their order, and which of them are kept.

use adapter_seaorm::{SeaOrmOperations, SeaOrmPlaylists};
use domain_kernel::Id;
use domain_live::{
    run::{RunFault, RunState},
    source::PlaylistSourceDraft,
};
use ports::{Inserted, NewRun, OperationRepository, PlaylistRunRepository, PlaylistSourceRepository, RunEnd};
use serde_json::json;

use super::{claimed, finished, next_claim, source};
use crate::support::{TestDb, after, edit, on_both, start};

on_both! {
    async fn a_failed_scheduled_run_is_followed_by_another_within_an_hour(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let added = async |hours: u16| {
            let draft = json!({"title": "España", "url": "https://h.example/l.m3u", "refreshHours": hours, "active": true});
            let draft: PlaylistSourceDraft = serde_json::from_value(draft).unwrap();
            let draft = garde::Unvalidated::new(draft).validate().unwrap();
            let Inserted::New(source) = playlists.add(draft, &edit(start()), None).await.unwrap() else { panic!("it is new") };
            source.id
        };
        let next = async |source: Id| {
            let found = PlaylistSourceRepository::find(&playlists, source).await.unwrap().unwrap();
            found.next_refresh_date.unwrap()
        };
        let failed = || RunEnd { state: RunState::Failed, fault: Some(RunFault::Empty), ..finished() };
        let (day, hour) = (24 * 60, 60);
        let daily = added(24).await;
        let mut due = day;
        for (end, minutes) in [
            (failed(), hour),
            (RunEnd { state: RunState::Stopped, fault: Some(RunFault::TooManyMissing), ..finished() }, day),
            (finished(), day),
            (failed(), hour),
        ] {
            assert_eq!(playlists.schedule(after(due)).await.unwrap(), 1);
            let run = next_claim(&playlists).await.unwrap();
            let state = end.state;
            assert!(playlists.end(&run, end, after(due)).await.unwrap());
            if state == RunState::Finished {
                playlists.end_apply(run.run.id, None).await.unwrap();
            }
            due += minutes;
            assert_eq!(next(daily).await, after(due), "{state:?}");
        }
        // A failed run begun by a user changes no time, and an interval of an hour stays.
        let by_hand = claimed(&playlists, daily).await;
        assert!(playlists.end(&by_hand, failed(), start()).await.unwrap());
        assert_eq!(next(daily).await, after(due));
        let hourly = added(1).await;
        assert_eq!(playlists.schedule(after(hour)).await.unwrap(), 1);
        let run = next_claim(&playlists).await.unwrap();
        assert_eq!(run.run.source, hourly);
        assert!(playlists.end(&run, failed(), after(hour + 5)).await.unwrap());
        assert_eq!(next(hourly).await, after(2 * hour));
    }

    async fn unfinished_runs_have_the_address_that_they_fetch_until_the_list_is_kept(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let draft = json!({"title": "España", "url": "https://h.example/l.m3u", "active": true});
        let draft: PlaylistSourceDraft = serde_json::from_value(draft).unwrap();
        let draft = garde::Unvalidated::new(draft).validate().unwrap();
        let Inserted::New(fetched) = playlists.add(draft, &edit(start()), None).await.unwrap() else { panic!("it is new") };
        let uploaded = source(&playlists).await;
        let first = claimed(&playlists, fetched.id).await;
        let file = Some(("l.m3u".to_owned(), vec![1]));
        let (created_by, created_date) = ("rosa_1".to_owned(), start());
        let run = NewRun { source: uploaded, file, accept_loss: false, created_by, created_date };
        let Inserted::New(second) = playlists.begin(run, None).await.unwrap() else { panic!("it is new") };
        let unfinished = async || {
            let runs = playlists.unfinished().await.unwrap();
            runs.into_iter().map(|one| (one.run, one.source, one.url)).collect::<Vec<_>>()
        };
        let address = Some("https://h.example/l.m3u".to_owned());
        let of_file = (second.id, uploaded, None);
        assert_eq!(unfinished().await, [(first.run.id, fetched.id, address), of_file.clone()]);
        assert!(playlists.keep_list(&first, &[1]).await.unwrap());
        assert_eq!(unfinished().await, [(first.run.id, fetched.id, None), of_file.clone()]);
        assert!(playlists.end(&first, finished(), after(1)).await.unwrap());
        assert_eq!((unfinished().await, playlists.claim(first.run.id).await.unwrap()), (vec![of_file], None));
    }

    async fn a_run_waits_until_the_one_before_is_applied(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let draft = json!({"title": "España", "url": "https://h.example/l.m3u", "refreshHours": 24, "active": true});
        let draft: PlaylistSourceDraft = serde_json::from_value(draft).unwrap();
        let draft = garde::Unvalidated::new(draft).validate().unwrap();
        let Inserted::New(source) = playlists.add(draft, &edit(start()), None).await.unwrap() else { panic!("it is new") };
        assert_eq!(playlists.schedule(after(24 * 60)).await.unwrap(), 1);
        let first = next_claim(&playlists).await.unwrap();
        assert!(playlists.end(&first, finished(), after(24 * 60)).await.unwrap());
        let (created_by, created_date) = ("rosa_1".to_owned(), start());
        let run = NewRun { source: source.id, file: None, accept_loss: false, created_by, created_date };
        let Inserted::New(second) = playlists.begin(run, None).await.unwrap() else { panic!("it is new") };
        let to_apply = async || playlists.waiting_for_apply().await.unwrap().map(|(run, _)| run.id);

        assert!(playlists.unfinished().await.unwrap().is_empty());
        assert_eq!(playlists.claim(second.id).await.unwrap(), None);
        assert_eq!(to_apply().await, Some(first.run.id));
        // An apply of a user is not that of the source.
        let operations = SeaOrmOperations(db.database.clone());
        assert!(operations.insert_of_run(first.run.id, Vec::new(), 0).await.unwrap().is_some());
        assert_eq!(to_apply().await, Some(first.run.id));
        playlists.end_apply(first.run.id, None).await.unwrap();
        assert_eq!(next_claim(&playlists).await.map(|claim| claim.run.id), Some(second.id));

        // The second run was claimed by an earlier version before the first one was applied.
        db.run(&format!("UPDATE playlist_runs SET waits_for_apply = TRUE WHERE id = {}", first.run.id)).await;
        assert_eq!(to_apply().await, None);
        assert_eq!(next_claim(&playlists).await.map(|claim| claim.run.id), Some(second.id));
    }

    async fn the_newest_successful_run_stays_after_any_number_of_failed_ones(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let source = source(&playlists).await;
        let run = async |end: RunEnd| {
            let run = claimed(&playlists, source).await;
            assert!(playlists.end(&run, end, after(1)).await.unwrap());
            run.run.id
        };
        let older = run(finished()).await;
        let good = run(finished()).await;
        for _ in 0..52 {
            run(RunEnd { state: RunState::Failed, fault: Some(RunFault::Empty), ..finished() }).await;
        }
        assert_eq!(playlists.newest_finished(source).await.unwrap().map(|run| run.id), Some(good));
        assert_eq!(PlaylistRunRepository::find(&playlists, source, older).await.unwrap(), None);
    }
}
