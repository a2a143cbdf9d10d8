//! Showings of a title: on channels at their own times, and in other guides.

use adapter_seaorm::SeaOrmGuides;
use domain_kernel::ListQuery;
use domain_live::{
    distance::Shown,
    guide::Localized,
    programme::{KeptProgramme, ProgrammeDetails, SpanChange},
};
use ports::{GuideStore, ScheduleRepository};

use crate::{
    guides::{channel, claimed},
    schedule::{filled, hours, line_up, shift},
    support::{TestDb, on_both, start},
};

on_both! {
    async fn showings_of_a_title_are_found_on_channels_at_their_own_times(db: &TestDb) {
        let (guide, _) = filled(db, "Guía", &[
            ("siete", vec![(0, 60, "La Ópera"), (60, 120, "otra"), (600, 660, "la opera"), (20_000, 20_060, "la opera")]),
            // With the offset of its channel, the first has started before.
            ("ocho", vec![(10, 25, "La ópera"), (30, 90, "La ópera")]),
            ("nueve", vec![(30, 90, "La ópera")]),
        ]).await;
        let ids = line_up(db, guide, &["siete", "ocho"]).await;
        shift(db, ids[1], -1_800).await;
        let guides = SeaOrmGuides(db.database.clone());
        let minutes = |at: i64| (at - start().timestamp()) / 60;
        let found = async |most: u64| {
            let found = guides.showings("la opera", hours(168), most).await.unwrap();
            found.iter().map(|one| (one.number, minutes(one.start), minutes(one.stop))).collect::<Vec<_>>()
        };
        assert_eq!(found(10).await, [(1, 0, 60), (2, 0, 60), (1, 600, 660)], "no channel uses the third");
        assert_eq!(found(1).await, [(1, 0, 60)]);
        assert_eq!(guides.showings("la ope", hours(168), 10).await.unwrap(), []);
    }

    async fn a_search_finds_every_title_and_the_first_one_alone_is_the_key_of_showings(db: &TestDb) {
        let (guide, _) = filled(db, "Guía", &[("siete", vec![])]).await;
        let guides = SeaOrmGuides(db.database.clone());
        let claim = claimed(&guides, guide).await;
        let ids = guides.write_channels(&claim, &[channel("siete")]).await.unwrap().unwrap();
        let now = start().timestamp();
        let programme = |titles: &[&str]| {
            let titles = titles.iter().map(|text| Localized { language: Some("en".into()), text: (*text).to_owned() });
            let details = ProgrammeDetails { titles: titles.collect(), ..ProgrammeDetails::default() };
            let details = Some(serde_json::to_string(&details).unwrap());
            KeptProgramme { start: now, stop: now + 3_600, title: "Pan y rosas".into(), details, further_details: None }
        };
        let added = SpanChange { added: vec![programme(&["Bread and Roses"])], ..SpanChange::default() };
        assert!(guides.write_spans(&claim, vec![(ids[0], added)]).await.unwrap());
        line_up(db, guide, &["siete"]).await;
        let found = async |text: &str| {
            let query = ListQuery { size: 10, search: Some(text.to_owned()), ..ListQuery::default() };
            guides.channels(hours(1), hours(1), &query).await.unwrap().content.len()
        };
        let showings = async |title: &str| guides.showings(title, hours(168), 10).await.unwrap().len();
        assert_eq!((found("ROSAS").await, found("bréad").await, found("rosas bread").await), (1, 1, 0));
        assert_eq!((showings("pan y rosas").await, showings("bread and roses").await), (1, 0));
        let changed = SpanChange { changed: vec![programme(&["Brot"])], ..SpanChange::default() };
        assert!(guides.write_spans(&claim, vec![(ids[0], changed)]).await.unwrap());
        assert_eq!((found("bread").await, found("brot").await), (0, 1));
    }

    async fn showings_are_found_after_any_number_of_showings_that_no_channel_uses(db: &TestDb) {
        let all_day: Vec<(i64, i64, &str)> = (0..700).map(|at| (at, at + 1, "Noticias")).collect();
        let (guide, _) =
            filled(db, "Guía", &[("nadie", all_day), ("siete", vec![(900, 960, "noticias")])]).await;
        let ids = line_up(db, guide, &["siete"]).await;
        let guides = SeaOrmGuides(db.database.clone());
        let found = guides.showings("noticias", hours(168), 13).await.unwrap();
        assert_eq!(found.iter().map(|one| one.channel).collect::<Vec<_>>(), ids);
    }

    async fn the_same_titles_of_other_guides_are_found(db: &TestDb) {
        let (one, own) = filled(db, "Una", &[("siete", vec![(0, 60, "cine"), (60, 120, "fútbol")])]).await;
        let (other, channels) = filled(db, "Otra", &[("7", vec![(60, 120, "Cine"), (120, 180, "teatro")])]).await;
        let guides = SeaOrmGuides(db.database.clone());
        let (from, to) = (start().timestamp() - 3_600, start().timestamp() + 86_400);
        let titles = ["cine".to_owned(), "futbol".to_owned()];
        let shown = |channel: i64, minutes: i64| Shown { channel, start: start().timestamp() + minutes * 60, title: "cine".into() };
        assert_eq!(guides.shown_elsewhere(one, &titles, from, to).await.unwrap(), [(other, shown(channels[0], 60))]);
        assert_eq!(guides.shown_elsewhere(other, &titles[..1], from, to).await.unwrap(), [(one, shown(own[0], 0))]);
        db.run("UPDATE tv_guides SET active = FALSE").await;
        assert_eq!(guides.shown_elsewhere(one, &titles, from, to).await.unwrap(), []);
    }

    async fn of_too_many_titles_of_other_guides_the_first_are_compared(db: &TestDb) {
        let (one, _) = filled(db, "Una", &[("siete", vec![(0, 60, "cine")])]).await;
        let often = (1..=4_000).map(|minute| (minute, minute + 1, "Cine")).collect();
        let (other, channels) = filled(db, "Otra", &[("7", often), ("8", vec![(0, 1, "Fútbol")])]).await;
        let (from, to) = (start().timestamp() - 3_600, start().timestamp() + 500_000);
        let titles = ["cine".to_owned(), "futbol".to_owned()];
        let found = SeaOrmGuides(db.database.clone()).shown_elsewhere(one, &titles, from, to).await.unwrap();
        let first = Shown { channel: channels[1], start: start().timestamp(), title: "futbol".into() };
        assert_eq!((found.len(), &found[0]), (4_000, &(other, first)));
        assert!(found.is_sorted_by_key(|(_, shown)| shown.start));
    }
}
