//! Guides: a fetch that was claimed by another process writes nothing; data of deleted guides is
//! removed in slices.

use adapter_seaorm::{
    SeaOrmGuides,
    catalogue::{SeaOrmContents, TvGuidesTable},
};
use chrono::TimeDelta;
use domain_catalogue::{Content, TvGuide};
use domain_live::{
    fetch::Validators,
    guide::{Channel, Localized},
    guide_fetch::{GuideCounts, GuideFetchFault, GuideFetchState, GuideSettings, LeftOutOfGuide},
    programme::{KeptProgramme, ProgrammeDetails, SpanChange},
};
use ports::{
    ClaimedFetch, GuideFetchBegun, GuideFetchEnd, GuideStore, NewGuideFetch, StagedPart, UnfinishedFetch,
};

use crate::{
    kinds::add,
    support::{TestDb, after, edit, on_both, start},
};

pub fn channel(id: &str) -> Channel {
    let name = Localized { language: None, text: format!("Canal {id}") };
    Channel { id: id.to_owned(), names: vec![name], ..Channel::default() }
}

fn programme(start: i64) -> KeptProgramme {
    KeptProgramme {
        start,
        stop: start + 60,
        title: format!("a las {start}"),
        details: None,
        further_details: None,
    }
}

fn added(starts: &[i64]) -> SpanChange {
    SpanChange { added: starts.iter().copied().map(programme).collect(), ..SpanChange::default() }
}

/// The first unfinished fetch.
async fn next_claim(guides: &SeaOrmGuides) -> Option<ClaimedFetch> {
    let first = guides.unfinished().await.unwrap().into_iter().next()?;
    guides.claim(first.guide).await.unwrap()
}

pub async fn claimed(guides: &SeaOrmGuides, guide: i64) -> ClaimedFetch {
    let begun =
        guides.begin(NewGuideFetch { guide, file: None, requested_by: "rosa_1".into() }).await.unwrap();
    assert!(matches!(begun, GuideFetchBegun::Begun(_)), "{begun:?}");
    next_claim(guides).await.unwrap()
}

pub fn done() -> GuideFetchEnd {
    GuideFetchEnd {
        state: GuideFetchState::Done,
        fault: None,
        status_code: None,
        found: None,
        newest: None,
        known: None,
        next_fetch_date: None,
    }
}

on_both! {
    async fn writes_of_a_fetch_claimed_by_another_process_are_refused(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let first = claimed(&guides, guide).await;
        assert_eq!(first.guide.settings, GuideSettings::default());
        let ids = guides.write_channels(&first, &[channel("siete"), channel("ocho")]).await.unwrap().unwrap();
        assert!(guides.write_spans(&first, vec![(ids[0], added(&[0, 60]))]).await.unwrap());
        let part = || StagedPart { xml_id: "siete".into(), number: 1, content: b"[]".to_vec() };
        assert!(guides.stage(&first, vec![part()]).await.unwrap());

        let second = next_claim(&guides).await.unwrap();
        assert_eq!(second.attempt, first.attempt + 1);
        assert!(!guides.write_spans(&first, vec![(ids[0], added(&[120]))]).await.unwrap());
        assert!(!guides.stage(&first, vec![part()]).await.unwrap());
        assert_eq!(guides.write_channels(&first, &[channel("nueve")]).await.unwrap(), None);
        assert!(!guides.end(&first, done(), after(1)).await.unwrap());
        while guides.unstage(&second).await.unwrap() {}
        assert_eq!(guides.staged(&second, &["siete".to_owned()]).await.unwrap(), []);
        let of_first = async || {
            let kept = guides.programmes(&ids, 0, 1_000).await.unwrap();
            kept.into_iter().map(|(id, programme)| (id == ids[0]).then_some(programme).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(of_first().await, [programme(0), programme(60)]);

        let change = SpanChange { changed: vec![programme(60)], removed: vec![0], ..added(&[120]) };
        assert!(guides.write_spans(&second, vec![(ids[0], change)]).await.unwrap());
        assert_eq!(of_first().await, [programme(60), programme(120)]);
        let same = guides.write_channels(&second, &[channel("ocho"), channel("siete")]).await.unwrap().unwrap();
        assert_eq!(same, [ids[1], ids[0]]);
        guides.forget_channels(&first, &[], true).await.unwrap();
        guides.forget_channels(&second, &[], false).await.unwrap();
        assert_eq!(of_first().await, [programme(60), programme(120)]);
        assert!(guides.end(&second, done(), after(1)).await.unwrap());
        assert_eq!(next_claim(&guides).await, None);
        let third = claimed(&guides, guide).await;
        let again = guides.write_channels(&third, &[channel("siete"), channel("ocho")]).await.unwrap().unwrap();
        assert_eq!(again[0], ids[0], "it has programmes");
        assert_ne!(again[1], ids[1], "it had none and was removed");
    }

    async fn a_process_without_its_claim_removes_nothing_of_the_next_one(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let part = |number| StagedPart { xml_id: "siete".into(), number, content: b"[]".to_vec() };
        let first = claimed(&guides, guide).await;
        assert!(guides.stage(&first, vec![part(1)]).await.unwrap());
        let second = next_claim(&guides).await.unwrap();
        let staged = async || guides.staged(&second, &["siete".to_owned()]).await.unwrap();
        assert!(!guides.unstage(&first).await.unwrap(), "its loop ends");
        assert_eq!(staged().await, [part(1)]);
        assert!(guides.unstage(&second).await.unwrap(), "what the first one has left is removed");
        assert!(!guides.unstage(&second).await.unwrap());
        assert_eq!(staged().await, []);

        assert!(guides.stage(&second, vec![part(1), part(2)]).await.unwrap());
        assert!(!guides.unstage(&first).await.unwrap());
        assert_eq!(staged().await, [part(1), part(2)]);
        let ids = guides.write_channels(&second, &[channel("siete")]).await.unwrap().unwrap();
        for with_programmes in [false, true] {
            guides.forget_channels(&first, &[], with_programmes).await.unwrap();
            let stored = format!("SELECT count(*) AS number FROM guide_channels WHERE id = {}", ids[0]);
            assert_eq!(db.number(&stored).await, 1, "with programmes: {with_programmes}");
        }
        while guides.unstage(&second).await.unwrap() {}
        assert_eq!(staged().await, []);
        guides.forget_channels(&second, &[], false).await.unwrap();
        assert_eq!(db.number("SELECT count(*) AS number FROM guide_channels").await, 0);
    }

    async fn stored_programmes_are_read_as_written_in_the_order_of_each_channel(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let claim = claimed(&guides, guide).await;
        let channels = ["uno", "dos", "tres"].map(channel);
        let ids = guides.write_channels(&claim, &channels).await.unwrap().unwrap();
        let odd = "«Un \"día\"», 'dijo' \\n \\\\ \n\r\t\u{1}\u{1f}\u{7f}\u{2028} <&> [1,2] {} null 🎬 👩\u{200d}👧 \u{10ffff}";
        let quoted = serde_json::to_string(&[odd]).unwrap();
        let of = |start: i64, title: &str, details: Option<&str>, further_details: Option<&str>| KeptProgramme {
            title: title.to_owned(),
            details: details.map(str::to_owned),
            further_details: further_details.map(str::to_owned),
            ..programme(start)
        };
        let kept = [
            of(-60, "", None, None),
            of(0, odd, Some(odd), None),
            of(60, "null", None, Some(quoted.as_str())),
            of(120, "120", Some("null"), Some("")),
            of(180, odd, Some(""), Some(odd)),
        ];
        for id in [ids[1], ids[0]] {
            // In descending order.
            let change = SpanChange { added: kept.iter().rev().cloned().collect(), ..SpanChange::default() };
            assert!(guides.write_spans(&claim, vec![(id, change)]).await.unwrap());
        }
        let of_channel = |id: i64, kept: &[KeptProgramme]| -> Vec<(i64, KeptProgramme)> {
            kept.iter().map(|programme| (id, programme.clone())).collect()
        };
        let found = guides.programmes(&[ids[2], ids[1], ids[0]], 0, 180).await.unwrap();
        assert_eq!(found, [of_channel(ids[0], &kept[1..4]), of_channel(ids[1], &kept[1..4])].concat());
        let found = guides.programmes(&[ids[1]], i64::MIN, i64::MAX).await.unwrap();
        assert_eq!(found, of_channel(ids[1], &kept));
        assert_eq!(guides.programmes(&[ids[2]], 0, 180).await.unwrap(), []);
    }

    async fn an_uploaded_file_is_read_although_a_fetch_started_meanwhile(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let begin = async |upload: Option<i64>| {
            let file = upload.map(|upload| (format!("{upload}.xml"), upload));
            guides.begin(NewGuideFetch { guide, file, requested_by: "rosa_1".into() }).await.unwrap()
        };
        for is_running in [false, true] {
            let upload = guides.begin_upload(guide, start()).await.unwrap();
            assert!(matches!(begin(None).await, GuideFetchBegun::Begun(_)));
            let fetch = if is_running { next_claim(&guides).await } else { None };
            assert!(matches!(begin(Some(upload)).await, GuideFetchBegun::Begun(_)), "running: {is_running}");
            assert!(matches!(begin(None).await, GuideFetchBegun::Unfinished));
            assert!(matches!(begin(Some(upload + 1)).await, GuideFetchBegun::Unfinished), "of two files the first is read");
            if let Some(fetch) = fetch {
                assert_eq!(guides.write_channels(&fetch, &[channel("siete")]).await.unwrap(), None);
                assert!(!guides.end(&fetch, done(), after(1)).await.unwrap());
            }
            let waiting = UnfinishedFetch { guide, url: None, unpacked_bytes: None };
            assert_eq!(guides.unfinished().await.unwrap(), [waiting], "a file has no address");
            let file = next_claim(&guides).await.unwrap();
            assert_eq!((file.upload, file.guide.file_name.as_deref()), (Some(upload), Some(&*format!("{upload}.xml"))));
            assert!(guides.end(&file, done(), after(1)).await.unwrap());
        }
    }

    async fn requested_guides_are_read_first_and_the_others_by_the_time_since_when_they_are_due(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let contents = SeaOrmContents::<TvGuidesTable>::new(db.database.clone());
        let mut ids = Vec::new();
        for number in 1..=4 {
            let title = format!("Guía {number}");
            ids.push(add(&contents, TvGuide { title, ..TvGuide::sample() }).await);
        }
        // The third one was never read; the fourth one is requested.
        for (guide, due) in [(ids[0], 60), (ids[1], 30), (ids[3], 90)] {
            let claim = claimed(&guides, guide).await;
            assert!(guides.end(&claim, GuideFetchEnd { next_fetch_date: Some(after(due)), ..done() }, after(1)).await.unwrap());
        }
        let by_user = NewGuideFetch { guide: ids[3], file: None, requested_by: "rosa_1".into() };
        assert!(matches!(guides.begin(by_user).await.unwrap(), GuideFetchBegun::Begun(_)));
        assert_eq!(guides.schedule(after(100_000)).await.unwrap(), 3);
        // Those that are being read stay in the order: the process knows which ones are its own.
        assert!(guides.claim(ids[2]).await.unwrap().is_some());
        let url = Some(TvGuide::sample().url.0);
        let waiting = [ids[3], ids[2], ids[1], ids[0]]
            .map(|guide| UnfinishedFetch { guide, url: url.clone(), unpacked_bytes: None });
        assert_eq!(guides.unfinished().await.unwrap(), waiting);
        for expected in waiting.map(|one| one.guide) {
            let claim = guides.claim(expected).await.unwrap().unwrap();
            assert_eq!(guides.claim(999).await.unwrap(), None);
            assert_eq!(claim.guide.guide, expected);
            assert!(guides.end(&claim, done(), after(100_001)).await.unwrap());
        }
    }

    async fn a_fetch_that_waits_again_keeps_the_size_of_its_file_until_it_is_read(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let size = async || guides.unfinished().await.unwrap()[0].unpacked_bytes;
        let old = claimed(&guides, guide).await;
        let claim = next_claim(&guides).await.unwrap();
        guides.wait_again(&old, 10).await.unwrap();
        assert_eq!((guides.fetch(guide).await.unwrap().unwrap().state, size().await), (GuideFetchState::Running, None));
        guides.wait_again(&claim, 20).await.unwrap();
        let waiting = guides.fetch(guide).await.unwrap().unwrap();
        assert_eq!((waiting.state, waiting.requested_by, size().await), (GuideFetchState::Waiting, Some("rosa_1".into()), Some(20)));
        assert!(!guides.end(&claim, done(), after(1)).await.unwrap(), "it is claimed again first");
        let claim = next_claim(&guides).await.unwrap();
        let found = GuideCounts { unpacked_bytes: Some(30), ..GuideCounts::default() };
        assert!(guides.end(&claim, GuideFetchEnd { found: Some((found, Vec::new())), ..done() }, after(1)).await.unwrap());
        claimed(&guides, guide).await;
        assert_eq!(size().await, Some(30));
    }

    async fn unreadable_counts_stop_no_fetch(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let first = claimed(&guides, guide).await;
        assert!(guides.end(&first, done(), after(1)).await.unwrap());
        db.run("UPDATE guide_fetches SET counts = 'no JSON'").await;
        let next = claimed(&guides, guide).await;
        assert_eq!(next.guide.counts, GuideCounts::default());
    }

    async fn a_guide_without_a_schedule_is_fetched_on_request_only(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let configure = async |refresh_hours: u16| {
            let settings = GuideSettings { refresh_hours, ..GuideSettings::default() };
            let settings = garde::Unvalidated::new(settings).validate().unwrap();
            guides.configure(guide, settings, None, &edit(after(1))).await.unwrap();
        };
        let next = async || guides.fetch(guide).await.unwrap().unwrap().next_fetch_date;
        let first = claimed(&guides, guide).await;
        let planned = GuideFetchEnd { next_fetch_date: Some(after(60)), ..done() };
        assert!(guides.end(&first, planned.clone(), after(1)).await.unwrap());
        configure(0).await;
        assert_eq!(next().await, None);
        assert_eq!(guides.schedule(after(100_000)).await.unwrap(), 0, "not due");
        let file = Some(("guia.xml".to_owned(), 1));
        guides.begin(NewGuideFetch { guide, file, requested_by: "rosa_1".into() }).await.unwrap();
        let upload = next_claim(&guides).await.unwrap();
        assert!(guides.end(&upload, done(), after(2)).await.unwrap());
        assert_eq!(guides.schedule(after(100_000)).await.unwrap(), 0, "the upload stays");
        configure(24).await;
        assert_eq!(next().await, Some(after(2) + TimeDelta::hours(24)));

        // The schedule ends while the guide is read.
        let running = claimed(&guides, guide).await;
        configure(0).await;
        assert!(guides.end(&running, planned.clone(), after(3)).await.unwrap());
        assert_eq!(next().await, None);
        // It begins while the guide is read.
        let running = claimed(&guides, guide).await;
        configure(24).await;
        assert!(guides.end(&running, done(), after(4)).await.unwrap());
        assert_eq!(next().await, Some(after(4) + TimeDelta::hours(24)));
    }

    async fn a_guide_read_with_former_settings_is_read_again(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let read = || {
            let known = Validators { etag: Some("\"1\"".into()), last_modified: Some("now".into()) };
            GuideFetchEnd { known: Some(known), next_fetch_date: Some(after(60)), ..done() }
        };
        let first = claimed(&guides, guide).await;
        let madrid = GuideSettings { zone: "Europe/Madrid".into(), ..GuideSettings::default() };
        guides.configure(guide, garde::Unvalidated::new(madrid.clone()).validate().unwrap(), None, &edit(start())).await.unwrap();
        assert!(guides.end(&first, read(), after(1)).await.unwrap());
        assert_eq!(guides.fetch(guide).await.unwrap().unwrap().next_fetch_date, Some(after(1)));
        let second = claimed(&guides, guide).await;
        assert_eq!((second.known.clone(), second.guide.settings.clone()), (Validators::default(), madrid.clone()));
        let important = GuideSettings { priority: 1, ..madrid };
        guides.configure(guide, garde::Unvalidated::new(important).validate().unwrap(), None, &edit(start())).await.unwrap();
        assert!(guides.end(&second, read(), after(2)).await.unwrap());
        assert_eq!(guides.fetch(guide).await.unwrap().unwrap().next_fetch_date, Some(after(60)));
        assert_eq!(claimed(&guides, guide).await.known, read().known.unwrap());
    }

    async fn other_settings_change_when_a_guide_is_fetched_next(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let weekly = GuideSettings { refresh_hours: 168, ..GuideSettings::default() };
        let set = async |settings: &GuideSettings, minutes: i64| {
            let settings = garde::Unvalidated::new(settings.clone()).validate().unwrap();
            guides.configure(guide, settings, None, &edit(after(minutes))).await.unwrap();
            guides.fetch(guide).await.unwrap().unwrap().next_fetch_date
        };
        set(&weekly, 0).await;
        let week = after(1) + TimeDelta::days(7);
        let known = Validators { etag: Some("\"1\"".into()), last_modified: None };
        let read = || GuideFetchEnd { known: Some(known.clone()), next_fetch_date: Some(week), ..done() };
        let claim = claimed(&guides, guide).await;
        assert!(guides.end(&claim, read(), after(1)).await.unwrap());
        let important = GuideSettings { priority: 1, ..weekly.clone() };
        assert_eq!(set(&important, 2).await, Some(week), "it is read as before");
        let claim = claimed(&guides, guide).await;
        assert_eq!(claim.known, known, "what its source has is the same");
        let daily = GuideSettings { refresh_hours: 24, ..weekly.clone() };
        set(&daily, 3).await;
        assert!(guides.end(&claim, read(), after(1)).await.unwrap());
        let day = Some(after(1) + TimeDelta::days(1));
        assert_eq!(guides.fetch(guide).await.unwrap().unwrap().next_fetch_date, day, "a turn that was saved while it was read");
        set(&weekly, 3).await;
        let claim = claimed(&guides, guide).await;
        assert!(guides.end(&claim, read(), after(1)).await.unwrap());
        assert_eq!(set(&daily, 3).await, day);
        let shifted = GuideSettings { shift_minutes: -60, ..daily };
        assert_eq!(set(&shifted, 4).await, Some(after(4)), "its programmes are read otherwise");
    }

    async fn ended_programmes_and_data_of_deleted_guides_are_removed(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), TvGuide::sample()).await;
        let never_read = guides.fetch(guide).await.unwrap().unwrap();
        let claim = claimed(&guides, guide).await;
        let ids = guides.write_channels(&claim, &[channel("siete")]).await.unwrap().unwrap();
        let now = start().timestamp();
        let change = added(&[now - 120, now - 30, now]);
        assert!(guides.write_spans(&claim, vec![(ids[0], change)]).await.unwrap());
        while guides.sweep(start(), start()).await.unwrap() {}
        let starts = async || {
            let kept = guides.programmes(&ids, 0, i64::MAX).await.unwrap();
            kept.iter().map(|(_, programme)| programme.start - now).collect::<Vec<_>>()
        };
        assert_eq!(starts().await, [-30, 0], "what is on stays");
        let left_out = LeftOutOfGuide { reason: "SAME_START".into(), text: "10:00".into() };
        let found = GuideCounts { programmes: 3, ..GuideCounts::default() };
        let end = GuideFetchEnd {
            state: GuideFetchState::Partial,
            fault: Some(GuideFetchFault::EndsTooEarly),
            found: Some((found, vec![left_out])),
            newest: Some(now),
            next_fetch_date: Some(after(60)),
            ..done()
        };
        assert!(guides.end(&claim, end, start()).await.unwrap());
        db.run("CREATE TABLE kept_guides AS SELECT * FROM tv_guides").await;
        db.run("DELETE FROM tv_guides").await;
        while guides.sweep(start(), start()).await.unwrap() {}
        db.run("INSERT INTO tv_guides SELECT * FROM kept_guides").await;
        db.run("DROP TABLE kept_guides").await;
        assert_eq!(guides.fetch(guide).await.unwrap().unwrap(), never_read, "nothing of it is kept");
        assert_eq!(guides.schedule(start()).await.unwrap(), 1, "restored, it is fetched at once");
        assert_eq!(starts().await, Vec::<i64>::new());
        assert_eq!(db.number("SELECT count(*) AS number FROM guide_channels").await, 0);
    }

    async fn programmes_of_earlier_versions_get_their_further_details_in_a_separate_column(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let guide = SeaOrmContents::<TvGuidesTable>::new(db.database.clone());
        let claim = claimed(&guides, add(&guide, TvGuide::sample()).await).await;
        let ids = guides.write_channels(&claim, &[channel("uno")]).await.unwrap().unwrap();
        let text = |text: &str| vec![Localized { language: Some("es".into()), text: text.to_owned() }];
        let of = |start: i64, details: &ProgrammeDetails| KeptProgramme {
            details: Some(serde_json::to_string(details).unwrap()),
            ..programme(start)
        };
        let short = ProgrammeDetails { sub_titles: text("Piloto"), is_new: true, ..ProgrammeDetails::default() };
        let further = ProgrammeDetails {
            descriptions: text("«Un día», dijo \"ella\"\\ …"),
            icon: Some("https://img.example.com/1.jpg?a=1&b=2".into()),
            date: Some("2019".into()),
            ..ProgrammeDetails::default()
        };
        let both = ProgrammeDetails { sub_titles: short.sub_titles.clone(), is_new: true, ..further.clone() };
        let added = vec![of(0, &both), of(60, &short), of(120, &further), programme(180)];
        let change = SpanChange { added, ..SpanChange::default() };
        assert!(guides.write_spans(&claim, vec![(ids[0], change)]).await.unwrap());
        db.run("ALTER TABLE programmes DROP COLUMN further_details").await;
        db.run("DELETE FROM seaql_migrations WHERE version LIKE '%_000106_%'").await;
        db.database.migrate(migrations::migrate).await.unwrap();
        let found = guides.programmes(&ids, 0, 240).await.unwrap();
        let details: Vec<_> = found.iter().map(|(_, programme)| programme.details()).collect();
        assert_eq!(details, [both, short.clone(), further, ProgrammeDetails::default()]);
        let without: Vec<_> = found
            .into_iter()
            .map(|(_, programme)| KeptProgramme { further_details: None, ..programme }.details())
            .collect();
        let none = ProgrammeDetails::default;
        assert_eq!(without, [short.clone(), short, none(), none()]);
    }

    async fn an_unread_file_of_a_deleted_guide_is_removed(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let contents = SeaOrmContents::<TvGuidesTable>::new(db.database.clone());
        for is_read in [false, true] {
            let guide = add(&contents, TvGuide { title: format!("Guía {is_read}"), ..TvGuide::sample() }).await;
            let upload = guides.begin_upload(guide, start()).await.unwrap();
            guides.keep_part(guide, upload, 1, b"<tv/>".to_vec(), start()).await.unwrap();
            let file = Some(("guide.xml".to_owned(), upload));
            guides.begin(NewGuideFetch { guide, file, requested_by: "rosa_1".into() }).await.unwrap();
            let claim = if is_read { next_claim(&guides).await } else { None };
            db.run("CREATE TABLE kept_guides AS SELECT * FROM tv_guides").await;
            db.run("DELETE FROM tv_guides").await;
            while guides.sweep(start(), after(7_200)).await.unwrap() {}
            assert_eq!(guides.part(upload, 1).await.unwrap(), None, "{is_read}");
            if let Some(claim) = claim {
                assert!(!guides.end(&claim, done(), after(1)).await.unwrap(), "it has ended");
            }
            assert!(!guides.sweep(start(), after(7_200)).await.unwrap(), "nothing is written twice");

            db.run("INSERT INTO tv_guides SELECT * FROM kept_guides").await;
            db.run("DROP TABLE kept_guides").await;
            let restored = guides.fetch(guide).await.unwrap().unwrap();
            assert_eq!((restored.state, restored.file_name, restored.requested_by), (GuideFetchState::Never, None, None));
            assert_eq!(guides.schedule(start()).await.unwrap(), 1, "it is fetched at once");
            db.run("DELETE FROM guide_fetches").await;
            db.run("DELETE FROM tv_guides").await;
        }
    }

    async fn parts_of_a_file_are_stored_with_a_unique_number(db: &TestDb) {
        let guides = SeaOrmGuides(db.database.clone());
        let (one, other) = (guides.begin_upload(1, start()).await.unwrap(), guides.begin_upload(1, start()).await.unwrap());
        assert_ne!(one, other);
        guides.keep_part(1, one, 1, b"<tv/>".to_vec(), start()).await.unwrap();
        assert_eq!(guides.part(one, 0).await.unwrap(), Some(Vec::new()));
        assert_eq!(guides.part(one, 1).await.unwrap(), Some(b"<tv/>".to_vec()));
        assert_eq!(guides.part(one, 2).await.unwrap(), None);
        assert!(!guides.sweep(start(), start()).await.unwrap(), "it may still be read");
        while guides.sweep(start(), after(7_200)).await.unwrap() {}
        assert_eq!(guides.part(one, 1).await.unwrap(), None);
    }
}
