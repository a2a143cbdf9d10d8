//! Slices that write the streams of channels.

use super::*;

on_both! {
    async fn a_slice_writes_the_streams_of_a_hundred_channels_by_one_statement_for_each_table(db: &TestDb) {
        let entries: Vec<Entry> =
            (0..100).map(|at| entry(&format!("Reserva {at}"), &format!("http://h.example/{at}"))).collect();
        let fixture = Fixture::new(db, &entries).await;
        let known = fixture.playlists.known(fixture.source, 0, 100).await.unwrap();
        let ids: Vec<Id> = known.into_iter().map(|known| known.id).collect();
        let first = fixture.channels.find(fixture.channel).await.unwrap().unwrap().content;
        let mut channels = vec![fixture.channel];
        for number in 2..=100 {
            let other = TvChannel { title: format!("Canal {number}"), ..first.clone() };
            channels.push(add(&fixture.channels, other).await);
        }
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
        let store = SeaOrmContents::<TvChannelsTable>::new(watched);
        let statements = async |slice: SliceOf, items: Vec<SliceItem<TvChannel>>| {
            noted.lock().unwrap().clear();
            let written = store.write_slice(slice, items, edit(after(3))).await.unwrap();
            assert!(matches!(written, SliceWritten::Done(counts) if counts.changed == 100), "{written:?}");
            let noted = noted.lock().unwrap().clone();
            [
                "UPDATE \"playlist_entries\" SET \"ignored\" = \"v\".\"column2\", \"in_use\" = \"v\".\"column3\",",
                "UPDATE \"tv_channels\" SET \"version\" = \"tv_channels\".\"version\" + ",
                "INSERT INTO \"channel_stream_versions\"",
                "INSERT INTO \"channel_stream_lists\"",
                "DELETE FROM \"channel_streams\"",
                "INSERT INTO \"channel_streams\"",
                "INSERT INTO \"audit_entries\"",
            ]
            .map(|beginning| noted.iter().filter(|one| one.sql.starts_with(beginning)).count())
        };

        let operation = begin(db, Kind::TvChannels, 100).await;
        let sheet = operation.import.as_ref().unwrap().sheet;
        let rows = ids.iter().zip(&entries).zip(2..).map(|((id, entry), row)| (*id, row, entry.clone()));
        assert!(fixture.playlists.expect_rows(fixture.source, sheet, rows.collect()).await.unwrap());
        let item = |(position, (channel, entry)): (i64, (&Id, &Id))| SliceItem {
            row: row(position, *channel, Verdict::Unchanged, None),
            change: None,
            streams: Some(StreamChange { version: 1, effect: StreamEffect::Apply(vec![*entry]) }),
        };
        let items = (0..).zip(channels.iter().zip(&ids)).map(item).collect();
        // 25 audit entries at once.
        assert_eq!(statements(first_slice(operation.id), items).await, [1, 1, 1, 1, 1, 1, 4]);

        let import = import_of(db, Kind::TvChannels, 1).await;
        let of_all = channels.iter().map(|id| (*id).into()).collect();
        let operation = NewOperation { undo_of: None, import: None, items: of_all, ..import };
        let Inserted::New(operation) = fixture.operations.insert(operation, None).await.unwrap() else {
            panic!("it is new")
        };
        let mut items = Vec::new();
        for (position, channel) in (0..).zip(&channels) {
            let stored = fixture.channels.find(*channel).await.unwrap().unwrap();
            let mut draft = fixture.lists.find(*channel).await.unwrap().unwrap().draft();
            draft.streams[1].url = format!("https://n.example/{channel}.m3u8");
            let streams = Some(checked(draft, &()).unwrap());
            let same = valid(stored.content.clone());
            let write = ItemWrite { version: stored.version, before: stored.content, after: same, streams };
            let of_channel = OperationRow { sheet_row: None, ..row(position, *channel, Verdict::Changed, None) };
            let change = Some(ItemChange::Write(Box::new(write)));
            items.push(SliceItem { row: of_channel, change, streams: None });
        }
        assert_eq!(statements(first_slice(operation.id), items).await, [0, 1, 1, 1, 1, 1, 4]);

        for (of, expected) in [
            ("tv_channels WHERE version = 3", 100),
            ("channel_streams s JOIN playlist_entries e ON e.id = s.entry_id AND e.item_id = s.channel_id \
              WHERE s.position = 1 AND s.url LIKE 'https://n.example/%' AND e.in_use AND e.change = 'UNCHANGED'", 100),
            // The address alone, then both streams.
            ("channel_stream_versions WHERE replaced_by = 2 AND url IS NULL", 100),
            ("channel_stream_versions WHERE replaced_by = 3 AND url IS NOT NULL", 200),
            ("audit_entries WHERE resource = 'tv-channels' AND action = 'UPDATED'", 200),
        ] {
            assert_eq!(db.number(&format!("SELECT count(*) AS number FROM {of}")).await, expected, "{of}");
        }
    }

    async fn a_slice_keeps_the_stream_whose_url_a_form_gave_to_the_channel(db: &TestDb) {
        let [spare, other] = [entry("Reserva", SPARE), entry("Otra", "http://h.example/c")];
        let fixture = Fixture::new(db, &[spare.clone(), other.clone()]).await;
        let [first, second] = fixture.ids[..] else { panic!("two entries") };
        fixture.fill_to(3, &[OWN]).await;
        let moved = fixture.streams().await.streams.remove(1);
        let url_of_the_channel = async |url: &str| {
            let content = fixture.channels.find(fixture.channel).await.unwrap().unwrap().content;
            let form = valid(TvChannel { url: url.to_owned(), ..content });
            fixture.channels.replace(fixture.channel, form, None, edit(after(2))).await.unwrap();
        };
        let content = async || fixture.channels.find(fixture.channel).await.unwrap().unwrap().content;
        url_of_the_channel(&moved.stream.url).await;

        let renamed = TvChannel { title: "Otra".into(), ..content().await };
        let row = fixture.apply_with(vec![(first, spare)], renamed).await;
        assert_eq!(row.verdict, Verdict::Changed, "{row:?}");
        let streams = fixture.streams().await.streams;
        assert_eq!((&streams[0], streams.len()), (&moved, 3), "the first stream of before has left the list");

        // The same slice changes the URL of the channel; a form restores it.
        url_of_the_channel(OWN).await;
        fixture.fill_to(3, &[OWN, SPARE]).await;
        let moved = fixture.streams().await.streams.remove(2);
        url_of_the_channel(&moved.stream.url).await;
        let elsewhere = TvChannel { url: "https://z.example/1.m3u8".into(), ..content().await };
        let row = fixture.apply_with(vec![(second, other)], elsewhere).await;
        assert_eq!(row.verdict, Verdict::Changed, "{row:?}");
        url_of_the_channel(&moved.stream.url).await;
        assert_eq!(fixture.streams().await.streams[0], moved);
    }
}
