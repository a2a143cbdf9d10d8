//! Channels with their programmes, and the lists behind the figures of guide health: conditions of
//! the store equal the domain's computations.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use adapter_seaorm::{
    SeaOrmGuides,
    catalogue::{SeaOrmContents, TvChannelsTable, TvGuidesTable},
};
use chrono::TimeDelta;
use domain_catalogue::{CategoryType, Content, TvChannel, TvGuide};
use domain_kernel::{Enumeration, Filter, FilterValue, ListQuery};
use domain_live::{
    guide::{Channel, EpisodeNumber, Localized, Rating},
    health::{Slot, coverage},
    programme::{KeptProgramme, ProgrammeDetails, SpanChange},
    schedule::{ChannelLink, ScheduleChannel, ScheduleSpan, WithoutGuide},
};
use ports::{GuideStore, ScheduleRepository};
use sea_orm::Statement;

use crate::{
    guides::{channel, claimed, done},
    indexes::plan,
    kinds::{add, add_category},
    support::{TestDb, on_both, start},
};

/// The ID of a channel in its guide, and its programmes.
pub(crate) type Filled<'a> = (&'a str, Vec<(i64, i64, &'a str)>);

/// A guide with channels and their programmes: start and end in minutes from [`start`], and titles.
pub(crate) async fn filled(db: &TestDb, title: &str, channels: &[Filled<'_>]) -> (i64, Vec<i64>) {
    let guides = SeaOrmGuides(db.database.clone());
    let guide = TvGuide { title: title.to_owned(), active: true, ..TvGuide::sample() };
    let guide = add(&SeaOrmContents::<TvGuidesTable>::new(db.database.clone()), guide).await;
    let claim = claimed(&guides, guide).await;
    let named: Vec<Channel> = channels.iter().map(|(id, _)| channel(id)).collect();
    let ids = guides.write_channels(&claim, &named).await.unwrap().unwrap();
    let now = start().timestamp();
    let change = |programmes: &[(i64, i64, &str)]| SpanChange {
        added: programmes
            .iter()
            .map(|(from, to, title)| KeptProgramme {
                start: now + from * 60,
                stop: now + to * 60,
                title: (*title).to_owned(),
                details: None,
                further_details: None,
            })
            .collect(),
        ..SpanChange::default()
    };
    let changes = ids.iter().zip(channels).map(|(id, (_, programmes))| (*id, change(programmes)));
    assert!(guides.write_spans(&claim, changes.collect()).await.unwrap());
    assert!(guides.end(&claim, done(), start()).await.unwrap());
    (guide, ids)
}

pub(crate) async fn line_up(db: &TestDb, guide: i64, epg_ids: &[&str]) -> Vec<i64> {
    let table = SeaOrmContents::<TvChannelsTable>::new(db.database.clone());
    let category = add_category(db, "Canales", CategoryType::TvChannel).await;
    let mut ids = Vec::new();
    for (number, epg_id) in (1..).zip(epg_ids) {
        let draft = TvChannel {
            channel_number: number,
            title: format!("Canal {number}"),
            tv_guide_id: Some(guide),
            epg_id: Some((*epg_id).to_owned()),
            categories: vec![category],
            active: true,
            ..TvChannel::sample()
        };
        ids.push(add(&table, draft).await);
    }
    ids
}

/// Sets the offset of a channel's times in its playlist: hours in `tvg-shift`.
pub(crate) async fn shift(db: &TestDb, channel: i64, seconds: i64) {
    db.run("INSERT INTO playlist_sources (version, title, title_key, search_text, automatic, categories, first_number, active, updated_by, created_date, updated_date) \
            SELECT 1, 'x', 'x', 'x', 'NOTHING', '{}', 1, TRUE, 'x', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' \
            WHERE NOT EXISTS (SELECT 1 FROM playlist_sources)").await;
    db.run(&format!(
        "INSERT INTO playlist_entries (source_id, change, ignored, in_use, item_kind, item_id, radio, group_name, search_text, \
         content, applied, applied_shift) SELECT s.id, 'UNCHANGED', FALSE, TRUE, 'tv-channels', {channel}, FALSE, '', '', '{{}}', \
         '{{}}', {seconds} FROM playlist_sources s"
    ))
    .await;
}

pub(crate) fn hours(count: i64) -> ScheduleSpan {
    ScheduleSpan { from: start(), to: start() + TimeDelta::hours(count) }
}

async fn numbers(guides: &SeaOrmGuides, span: ScheduleSpan, filter: (&str, FilterValue)) -> Vec<i32> {
    let (field, value) = filter;
    let filters = vec![Filter { field: field.to_owned(), value }];
    let query = ListQuery { size: 1_000, filters, ..ListQuery::default() };
    let page = guides.channels(hours(1), span, &query).await.unwrap();
    page.content.iter().map(|channel| channel.number).collect()
}

/// Pseudorandom numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % most).unwrap()
    }
}

on_both! {
    async fn the_list_of_a_figure_has_the_channels_that_coverage_counts(db: &TestDb) {
        let titles = ["cine", "Sin información.", "—", "fútbol", "noticias", "canal 7", "Canal c8"];
        let mut random = Random(80);
        let mut channels = Vec::new();
        for _ in 0..120 {
            let mut programmes = Vec::new();
            let mut at = -200 + random.below(200);
            while at < 1_700 {
                let length = [31, 60, 200, 600, 800][usize::try_from(random.below(5)).unwrap()];
                programmes.push((at, at + length, titles[usize::try_from(random.below(7)).unwrap()]));
                // Before the end, at it, soon after it, and after a gap.
                at += (length + [-30, -1, 0, 0, 0, 0, 20, 31, 90][usize::try_from(random.below(9)).unwrap()]).max(1);
            }
            channels.push(programmes);
        }
        let ids: Vec<String> = (0..channels.len()).map(|index| format!("c{index}")).collect();
        let named: Vec<Filled<'_>> =
            ids.iter().map(String::as_str).zip(channels.iter().cloned()).collect();
        let (guide, guide_channels) = filled(db, "Guía", &named).await;
        let epg_ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let line_up = line_up(db, guide, &epg_ids).await;
        // Every third channel is an hour and a half later than its guide.
        for id in line_up.iter().step_by(3) {
            shift(db, *id, 5_400).await;
        }
        let guides = SeaOrmGuides(db.database.clone());
        let span = hours(24);
        let (from, to) = (span.from.timestamp(), span.to.timestamp());
        let mut expected: [Vec<i32>; 4] = Default::default();
        for ((number, index), guide_channel) in (1..).zip(0..).zip(&guide_channels) {
            let shift = if index % 3 == 0 { 5_400 } else { 0 };
            let slots = guides.slots(&[*guide_channel], span.before(shift)).await.unwrap();
            let slots: Vec<Slot> = slots
                .into_iter()
                .map(|(_, slot)| Slot { start: slot.start + shift, stop: slot.stop + shift, ..slot })
                .collect();
            let names = [format!("canal {number}"), format!("canal c{index}")];
            let found = coverage(&slots, &names, from, to);
            for (list, has) in expected.iter_mut().zip([
                found.gaps > 0,
                found.overlaps > 0,
                found.placeholders > 0,
                found.covered < to - from,
            ]) {
                if has {
                    list.push(number);
                }
            }
        }
        for (finding, expected) in ["gaps", "overlaps", "placeholders", "uncovered"].into_iter().zip(expected) {
            assert!(!expected.is_empty() && expected.len() < 120, "{finding} distinguishes channels");
            assert_eq!(numbers(&guides, span, (finding, FilterValue::Flag(true))).await, expected, "{finding}");
        }
    }

    async fn the_name_of_a_channel_as_a_title_covers_nothing(db: &TestDb) {
        let (guide, _) = filled(db, "Guía", &[
            ("uno", vec![(0, 120, "CANAL 1")]),
            ("dos", vec![(0, 120, "Canal dos")]),
            ("tres", vec![(0, 120, "tres")]),
            ("cuatro", vec![(0, 120, "Canal")]),
            ("cinco", vec![(0, 120, "5")]),
            ("seis", vec![(0, 120, "Canal 60")]),
        ])
        .await;
        line_up(db, guide, &["uno", "dos", "tres", "cuatro", "cinco", "seis"]).await;
        let guides = SeaOrmGuides(db.database.clone());
        for finding in ["placeholders", "uncovered"] {
            let found = numbers(&guides, hours(2), (finding, FilterValue::Flag(true))).await;
            assert_eq!(found, [1, 2], "{finding}: neither the ID nor the number are names");
        }
    }

    async fn a_reason_filters_the_channels_without_programmes_for_it(db: &TestDb) {
        let (guide, _) = filled(db, "Guía", &[("siete", vec![(0, 60, "cine")])]).await;
        line_up(db, guide, &["siete", "ocho", " "]).await;
        let guides = SeaOrmGuides(db.database.clone());
        db.run("UPDATE tv_channels SET tv_guide_id = NULL WHERE channel_number = 1").await;
        let channels = guides.channels_after(0, 10).await.unwrap();
        for (number, reason) in [(1, WithoutGuide::NoGuide), (2, WithoutGuide::IdNotInGuide), (3, WithoutGuide::NoId)] {
            let found = channels.iter().find(|channel| channel.number == number).unwrap();
            assert_eq!(found.link.fault(), Some(reason));
            assert_eq!(numbers(&guides, hours(1), ("reason", FilterValue::Code(reason.code()))).await, [number]);
        }
        db.run("UPDATE tv_guides SET active = FALSE").await;
        assert_eq!(numbers(&guides, hours(1), ("reason", FilterValue::Code("GUIDE_OFF"))).await, [2, 3]);
        assert_eq!(numbers(&guides, hours(1), ("guide", FilterValue::Reference(guide))).await, [2, 3]);
    }

    async fn a_pending_match_is_the_reason_if_the_guide_has_no_fault(db: &TestDb) {
        let (guide, _) = filled(db, "Guía", &[("siete", vec![(0, 60, "cine")])]).await;
        let (unread, _) = filled(db, "Otra", &[]).await;
        db.run(&format!("UPDATE guide_fetches SET last_good_date = NULL WHERE guide_id = {unread}")).await;
        // Without a guide, of one without the ID, without an ID, linked, and of a guide that was
        // never read.
        let ids = line_up(db, guide, &["uno", "dos", " ", "siete", "cinco", "seis", "ocho"]).await;
        db.run("UPDATE tv_channels SET tv_guide_id = NULL WHERE channel_number IN (1, 6, 7)").await;
        db.run(&format!("UPDATE tv_channels SET tv_guide_id = {unread} WHERE channel_number = 5")).await;
        for (id, level, reasons, decision) in [
            (ids[0], "REVIEW", " WORDS SECOND_TOO_NEAR ", "NULL"),
            (ids[1], "REVIEW", " WORDS NUMBER_DIFFERS ", "'REFUSED'"),
            (ids[2], "AUTO", " NAME_EQUAL ", "NULL"),
            (ids[3], "REVIEW", " WORDS SECOND_TOO_NEAR ", "'ACCEPTED'"),
            (ids[4], "REVIEW", " WORDS SECOND_TOO_NEAR ", "NULL"),
            (ids[5], "NONE", " WORDS SECOND_TOO_NEAR ", "NULL"),
            // Its link was made, and its guide is deleted.
            (ids[6], "AUTO", " NAME_EQUAL ", "'LINKED'"),
        ] {
            db.run(&format!(
                "INSERT INTO epg_matches (id, version, level, score, reasons, clear, candidates, seen_version, decision, matched_date) \
                 VALUES ({id}, 1, '{level}', 50, '{reasons}', FALSE, '[]', 1, {decision}, '2026-01-01T00:00:00Z')"
            ))
            .await;
        }
        let guides = SeaOrmGuides(db.database.clone());
        let says = async |expected: Vec<(WithoutGuide, Vec<i32>)>| {
            let channels = guides.channels_after(0, 10).await.unwrap();
            for reason in WithoutGuide::ALL.iter().copied() {
                let of_reason = expected.iter().find(|(one, _)| *one == reason);
                let of_reason = of_reason.map(|(_, numbers)| numbers.clone()).unwrap_or_default();
                let found = channels.iter().filter(|one| one.link.fault() == Some(reason));
                assert_eq!(found.map(|one| one.number).collect::<Vec<_>>(), of_reason, "{reason:?}");
                let filter = ("reason", FilterValue::Code(reason.code()));
                assert_eq!(numbers(&guides, hours(1), filter).await, of_reason, "{reason:?}");
            }
        };
        says(vec![
            (WithoutGuide::TwoFit, vec![1]),
            (WithoutGuide::NobodyDecided, vec![2, 3]),
            (WithoutGuide::NeverRead, vec![5]),
            (WithoutGuide::NoGuide, vec![6, 7]),
        ])
        .await;
        db.run("UPDATE tv_guides SET active = FALSE").await;
        says(vec![
            (WithoutGuide::GuideOff, vec![2, 3, 4, 5]),
            (WithoutGuide::TwoFit, vec![1]),
            (WithoutGuide::NoGuide, vec![6, 7]),
        ])
        .await;
    }

    async fn all_active_channels_are_counted_and_those_of_a_filter(db: &TestDb) {
        let (guide, _) = filled(db, "Guía", &[("siete", vec![(0, 60, "cine")])]).await;
        line_up(db, guide, &["siete", "ocho", "nueve"]).await;
        db.run("UPDATE tv_channels SET active = FALSE WHERE channel_number = 2").await;
        db.run("UPDATE tv_channels SET tv_guide_id = NULL WHERE channel_number = 3").await;
        let guides = SeaOrmGuides(db.database.clone());
        let total = async |filters: Vec<Filter>, search: Option<&str>| {
            let query = ListQuery { size: 1, search: search.map(str::to_owned), filters, ..ListQuery::default() };
            guides.channels(hours(1), hours(1), &query).await.unwrap().total_elements
        };
        assert_eq!(total(Vec::new(), None).await, 2);
        let of_guide = Filter { field: "guide".into(), value: FilterValue::Reference(guide) };
        assert_eq!(total(vec![of_guide], None).await, 1);
        assert_eq!(total(Vec::new(), Some("cine")).await, 1);
    }

    async fn a_page_has_its_channels_and_the_first_costs_one_statement(db: &TestDb) {
        let (guide, found) = filled(db, "La \"guía\"", &[("uno", vec![]), ("dos", vec![(60, 120, "cine")])]).await;
        let ids = line_up(db, guide, &["uno", "dos", "tres", "cuatro", "cinco"]).await;
        // By number in the reverse order of IDs.
        db.run("UPDATE tv_channels SET channel_number = 10 - channel_number").await;
        db.run(r#"UPDATE tv_channels SET title = '«\ñ"', image_url = 'https://i.example/2' WHERE channel_number = 8"#).await;
        db.run("UPDATE tv_channels SET image_url = NULL, epg_id = NULL, tv_guide_id = NULL WHERE channel_number = 7").await;
        db.run("UPDATE tv_channels SET active = FALSE WHERE channel_number = 6").await;
        shift(db, ids[1], -3_600).await;
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let guides = SeaOrmGuides(
            db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone())),
        );
        let page = async |page: u64, filter: Option<(&str, FilterValue)>, search: Option<&str>| {
            noted.lock().unwrap().clear();
            let filters = filter.map(|(field, value)| Filter { field: field.to_owned(), value });
            let search = search.map(str::to_owned);
            let query = ListQuery { page, size: 3, search, filters: filters.into_iter().collect(), ..ListQuery::default() };
            let found = guides.channels(hours(1), hours(1), &query).await.unwrap();
            let statements = std::mem::take(&mut *noted.lock().unwrap());
            (found, statements)
        };
        let numbers = |channels: &[ScheduleChannel]| channels.iter().map(|one| one.number).collect::<Vec<_>>();

        let (first, statements) = page(0, None, None).await;
        assert_eq!((numbers(&first.content), first.total_elements, first.total_pages), (vec![5, 7, 8], 4, 2));
        assert_eq!(statements.len(), 1, "{statements:?}");
        let steps = plan(db, &statements[0], false).await.join("\n");
        assert!(!db.is_sqlite() || steps.contains("SCAN page"), "its rows are looked up\n{steps}");
        let of_guide = Some((guide, true, true));
        assert_eq!(first.content[2], ScheduleChannel {
            id: ids[1],
            number: 8,
            title: "«\\ñ\"".into(),
            image_url: Some("https://i.example/2".into()),
            guide_title: Some("La \"guía\"".into()),
            guide_channel_title: Some("Canal dos".into()),
            link: ChannelLink { guide: of_guide, epg_id: Some("dos".into()), guide_channel: Some(found[1]), shift: -3_600, pending: None },
        });
        let nowhere = ChannelLink { guide: None, epg_id: None, guide_channel: None, shift: 0, pending: None };
        assert_eq!((&first.content[1].link, &first.content[1].image_url), (&nowhere, &None));
        let (second, statements) = page(1, None, None).await;
        assert_eq!((numbers(&second.content), second.total_elements, statements.len()), (vec![9], 4, 2));
        let (past, statements) = page(2, None, None).await;
        assert_eq!((numbers(&past.content), past.total_elements, statements.len()), (vec![], 4, 1));
        for channel in first.content.iter().chain(&second.content) {
            assert_eq!(guides.channel(channel.id).await.unwrap().as_ref(), Some(channel));
        }

        for (filter, search, expected) in [
            (Some(("ids", FilterValue::References(vec![ids[0], ids[1], ids[3]]))), None, vec![8, 9]),
            (Some(("without", FilterValue::Flag(false))), None, vec![8, 9]),
            (Some(("without", FilterValue::Flag(true))), None, vec![5, 7]),
            (None, Some("cine"), vec![8]),
            (None, Some("canal 5"), vec![5]),
            (Some(("guide", FilterValue::Reference(999))), None, vec![]),
        ] {
            let (found, statements) = page(0, filter.clone(), search).await;
            let total = usize::try_from(found.total_elements).unwrap();
            assert_eq!((numbers(&found.content), total), (expected.clone(), expected.len()), "{filter:?} {search:?}");
            assert_eq!(statements.len(), 1, "{filter:?} {search:?}");
        }
        db.run("UPDATE tv_guides SET active = FALSE").await;
        db.run("UPDATE guide_fetches SET last_good_date = NULL").await;
        let (off, _) = page(0, None, None).await;
        let link = &off.content[2].link;
        assert_eq!((link.guide, link.guide_channel), (Some((guide, false, false)), None));
    }

    async fn lists_of_programmes_are_read_without_further_details(db: &TestDb) {
        let (_, ids) = filled(db, "Guía", &[("siete", vec![(0, 60, "cine"), (60, 120, "fútbol")])]).await;
        let text = |text: &str| Localized { language: Some("es".into()), text: text.to_owned() };
        let shown = ProgrammeDetails {
            language: Some("es".into()),
            titles: vec![text("«cinema» \\")],
            sub_titles: vec![text("uno")],
            categories: vec![text("Cine")],
            episodes: vec![EpisodeNumber { system: "onscreen".into(), value: "S01E02".into() }],
            is_new: true,
            is_repeat: true,
            ..ProgrammeDetails::default()
        };
        let further = ProgrammeDetails {
            descriptions: vec![text(&"x".repeat(60_000))],
            icon: Some("https://a.example/1.png".into()),
            ratings: vec![Rating { system: None, value: "12".into() }],
            date: Some("2026".into()),
            ..ProgrammeDetails::default()
        };
        let [json, further_json] = [&shown, &further].map(|details| serde_json::to_string(details).unwrap());
        let set = format!("details = '{json}', further_details = '{further_json}'");
        db.run(&format!("UPDATE programmes SET {set} WHERE title = 'cine'")).await;
        let guides = SeaOrmGuides(db.database.clone());
        let found = ScheduleRepository::programmes(&guides, &ids, hours(2)).await.unwrap();
        let found: Vec<KeptProgramme> = found.into_iter().map(|(_, programme)| programme).collect();
        assert_eq!(found[0].details(), shown);
        assert!(found[0].size() < 1_000, "{}", found[0].size());
        assert_eq!((found[1].title.as_str(), &found[1].details), ("fútbol", &None));
        let on = guides.on_from(ids[0], start().timestamp(), 1).await.unwrap();
        let ProgrammeDetails { descriptions, icon, ratings, date, .. } = further;
        assert_eq!(on[0].details(), ProgrammeDetails { descriptions, icon, ratings, date, ..shown });
    }

    async fn programmes_of_channels_with_several_offsets_are_counted_by_one_statement_along_their_key(db: &TestDb) {
        let programmes = [
            ("siete", vec![(0, 60, "cine"), (60, 120, "fútbol")]),
            ("ocho", vec![(0, 120, "cine")]),
            ("nueve", vec![]),
        ];
        let (_, ids) = filled(db, "Guía", &programmes).await;
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
        let guides = SeaOrmGuides(watched);
        let [seven, eight, nine] = ids[..] else { panic!("{ids:?}") };
        let sources = [(seven, 0), (seven, 3_600), (seven, -3_600), (eight, 0), (eight, 7_200), (nine, 0)];
        for (span, expected) in [
            (hours(1), vec![((seven, -3_600), 1), ((seven, 0), 1), ((eight, 0), 1)]),
            (hours(2), vec![((seven, -3_600), 1), ((seven, 0), 2), ((seven, 3_600), 1), ((eight, 0), 1)]),
        ] {
            noted.lock().unwrap().clear();
            let counts = guides.programme_counts(&sources, span).await.unwrap();
            assert_eq!(counts, HashMap::from_iter(expected));
            let statements = noted.lock().unwrap().clone();
            let [statement] = &statements[..] else { panic!("{statements:?}") };
            let steps = plan(db, statement, false).await;
            let reads_all = |line: &String| line.starts_with("SCAN p") || line.contains("Seq Scan on programmes");
            assert!(!steps.iter().any(reads_all), "{}", steps.join("\n"));
        }
        assert_eq!(guides.programme_counts(&[], hours(1)).await.unwrap(), HashMap::new());
    }

    async fn channels_of_a_guide_that_nothing_uses_are_listed(db: &TestDb) {
        let (guide, _) = filled(db, "Guía", &[("ocho", vec![]), ("siete", vec![]), ("nueve", vec![])]).await;
        line_up(db, guide, &["siete"]).await;
        let guides = SeaOrmGuides(db.database.clone());
        let listed = async |used: Option<bool>, search: Option<&str>| {
            let filters = used.map(|used| Filter { field: "used".into(), value: FilterValue::Flag(used) });
            let query = ListQuery { size: 10, search: search.map(str::to_owned), filters: filters.into_iter().collect(), ..ListQuery::default() };
            let page = guides.listed_channels(guide, &query).await.unwrap();
            page.content.into_iter().map(|channel| (channel.xml_id, channel.used)).collect::<Vec<_>>()
        };
        let own = |id: &str, used: bool| (id.to_owned(), used);
        assert_eq!(listed(None, None).await, [own("nueve", false), own("ocho", false), own("siete", true)]);
        assert_eq!(listed(Some(false), None).await, [own("nueve", false), own("ocho", false)]);
        assert_eq!(guides.unused().await.unwrap(), [(guide, 2)]);
        assert_eq!(listed(Some(true), None).await, [own("siete", true)]);
        assert_eq!(listed(None, Some("OCHO")).await, [own("ocho", false)]);
    }
}
