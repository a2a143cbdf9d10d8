//! Entries of playlists as streams of channels: what operations do to both, and what their undos restore.

use std::sync::{Arc, Mutex};

use adapter_seaorm::{
    SeaOrmEntryStreams, SeaOrmOperations, SeaOrmPlaylists, SeaOrmStreams,
    catalogue::{SeaOrmContents, TvChannelsTable},
};
use domain_catalogue::{
    Category, CategoryType, ChannelStream, ChannelStreams, Content, Failover, MOST_STREAMS, StreamHeader,
    StreamOrigin, TvChannel, UrlType,
};
use domain_kernel::{Code, Id, Kind, checked};
use domain_live::{
    diff::{EntryChange, Sign},
    entry::Entry,
};
use domain_operations::{BulkOperation, OperationRow, STREAMS, Verdict};
use ports::{
    ChangedStream, ContentRepository, EntryStreamRepository, EntryWrite, Inserted, ItemChange, ItemWrite,
    NewOperation, OperationRepository, PlaylistEntryRepository, PlaylistRunRepository, RowFilter, SliceItem,
    SliceOf, SliceWritten, StoredEntry, StoredStreams, StreamChange, StreamCheck, StreamEffect,
    StreamRepository,
};
use sea_orm::{ConnectionTrait, Statement, TransactionTrait};
use serde_json::{Map, Value};

use crate::{
    kinds::{KindFixture, add, add_category, item_write, store},
    playlists::{claimed, entry, finished, source},
    sheet_imports::{begin, first_slice, import_of, row},
    support::{TestDb, after, edit, on_both, valid},
};

mod slices;

const OWN: &str = "https://a.example/1.m3u8";
const SPARE: &str = "http://h.example/a";

/// A channel, and a source with entries that were read.
struct Fixture<'a> {
    db: &'a TestDb,
    playlists: SeaOrmPlaylists,
    channels: SeaOrmContents<TvChannelsTable>,
    lists: SeaOrmStreams,
    operations: SeaOrmOperations,
    source: Id,
    channel: Id,
    /// IDs of the entries.
    ids: Vec<Id>,
}

impl<'a> Fixture<'a> {
    async fn new(db: &'a TestDb, entries: &[Entry]) -> Self {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let channels = SeaOrmContents::<TvChannelsTable>::new(db.database.clone());
        let category = add_category(db, "Noticias", CategoryType::TvChannel).await;
        let (url_type, url) = (UrlType::External, OWN.to_owned());
        let sample =
            TvChannel { tv_guide_id: None, categories: vec![category], url_type, url, ..TvChannel::sample() };
        let channel = add(&channels, sample).await;
        let source = source(&playlists).await;
        let run = claimed(&playlists, source).await;
        let added = entries.iter().map(|entry| EntryWrite::Add(entry.clone(), Vec::new())).collect();
        assert!(playlists.write(&run, added, after(1)).await.unwrap());
        assert!(playlists.end(&run, finished(), after(1)).await.unwrap());
        let known = playlists.known(source, 0, 10).await.unwrap();
        let ids = known.into_iter().map(|known| known.id).collect();
        let lists = SeaOrmStreams(db.database.clone());
        let operations = SeaOrmOperations(db.database.clone());
        Self { db, playlists, channels, lists, operations, source, channel, ids }
    }

    async fn streams(&self) -> StoredStreams {
        self.lists.find(self.channel).await.unwrap().unwrap()
    }

    async fn entry(&self, id: Id) -> StoredEntry {
        self.playlists.find_all(self.source, &[id]).await.unwrap().remove(0)
    }

    /// A run finds an entry again, with these values.
    async fn read(&self, id: Id, entry: &Entry) {
        let run = claimed(&self.playlists, self.source).await;
        let seen = EntryWrite::See(id, entry.clone(), Sign::Name);
        assert!(self.playlists.write(&run, vec![seen], after(2)).await.unwrap());
        assert!(self.playlists.end(&run, finished(), after(2)).await.unwrap());
    }

    /// The channel has as many streams as it may have, these first.
    async fn fill(&self, urls: &[&str]) {
        self.fill_to(MOST_STREAMS, urls).await;
    }

    /// The channel has this number of streams, these first.
    async fn fill_to(&self, count: usize, urls: &[&str]) {
        let further = (urls.len()..count).map(|at| format!("https://f.example/{at}.m3u8"));
        let stream = |url| ChannelStream {
            label: None,
            quality: None,
            url_type: UrlType::External,
            url,
            headers: Vec::new(),
        };
        let streams = urls.iter().map(|url| (*url).to_owned()).chain(further).map(stream).collect();
        let draft = checked(ChannelStreams { failover: Failover::Manual, streams }, &()).unwrap();
        self.lists.replace(self.channel, draft, None, &edit(after(2))).await.unwrap();
    }

    /// A slice applies entries, by their IDs, to the streams of a channel whose content it changes, too. Answers its row.
    async fn apply_with(&self, entries: Vec<(Id, Entry)>, change: TvChannel) -> OperationRow {
        let operation = begin(self.db, Kind::TvChannels, 1).await;
        let sheet = operation.import.as_ref().unwrap().sheet;
        let ids = entries.iter().map(|(id, _)| *id).collect();
        let rows = entries.into_iter().map(|(id, entry)| (id, 2, entry)).collect();
        assert!(self.playlists.expect_rows(self.source, sheet, rows).await.unwrap());
        let current = self.channels.find(self.channel).await.unwrap().unwrap();
        let of_channel = row(0, self.channel, Verdict::Changed, None);
        let streams = StreamChange { version: current.version, effect: StreamEffect::Apply(ids) };
        let item = item_write(of_channel, current.version, current.content, change);
        let items = vec![SliceItem { streams: Some(streams), ..item }];
        let written =
            self.channels.write_slice(first_slice(operation.id), items, edit(after(3))).await.unwrap();
        assert!(matches!(written, SliceWritten::Done(_)), "{written:?}");
        let operation = self.operations.find(operation.id).await.unwrap().unwrap();
        self.operations.rows(&operation, RowFilter::default(), 0, 10).await.unwrap().remove(0)
    }

    /// An operation on the channel without a file.
    async fn operation(&self, undo_of: Option<Id>) -> BulkOperation {
        let import = import_of(self.db, Kind::TvChannels, 1).await;
        let operation = NewOperation { undo_of, import: None, items: vec![self.channel.into()], ..import };
        match self.operations.insert(operation, None).await.unwrap() {
            Inserted::New(operation) => operation,
            other => panic!("{other:?}"),
        }
    }

    /// Writes a slice that changes the channel or its streams.
    async fn write(
        &self,
        slice: SliceOf,
        row: OperationRow,
        change: Option<ItemChange<TvChannel>>,
        effect: Option<StreamEffect>,
    ) {
        let version = self.streams().await.version;
        let streams = effect.map(|effect| StreamChange { version, effect });
        let items = vec![SliceItem { row, change, streams }];
        let written = self.channels.write_slice(slice, items, edit(after(3))).await.unwrap();
        assert!(matches!(written, SliceWritten::Done(counts) if counts.changed == 1), "{written:?}");
    }

    /// An operation that applies an entry as a stream of the channel, after its end.
    async fn apply(&self, id: Id, entry: &Entry) -> BulkOperation {
        let operation = begin(self.db, Kind::TvChannels, 1).await;
        let sheet = operation.import.as_ref().unwrap().sheet;
        let rows = vec![(id, 2, entry.clone())];
        assert!(self.playlists.expect_rows(self.source, sheet, rows).await.unwrap());
        let of_channel = row(0, self.channel, Verdict::Unchanged, None);
        let effect = StreamEffect::Apply(vec![id]);
        self.write(first_slice(operation.id), of_channel, None, Some(effect)).await;
        self.operations.find(operation.id).await.unwrap().unwrap()
    }

    /// An operation that undoes the changes of streams of another, after its end.
    async fn undo(&self, of: &BulkOperation) -> BulkOperation {
        let rows = self.operations.rows(of, RowFilter::default(), 0, 10).await.unwrap();
        let streams = |values: &Map<String, Value>| values[STREAMS].clone();
        let (before, after) = (streams(&rows[0].before), streams(&rows[0].after));
        let undo = self.operation(Some(of.id)).await;
        let of_channel = OperationRow { sheet_row: None, ..row(0, self.channel, Verdict::Unchanged, None) };
        let slice = SliceOf { undoes: Some(of.id), ..first_slice(undo.id) };
        self.write(slice, of_channel, None, Some(StreamEffect::Restore { before, after })).await;
        self.operations.find(undo.id).await.unwrap().unwrap()
    }

    /// A bulk change of the streams.
    async fn change(&self, streams: ChannelStreams) {
        let current = self.channels.find(self.channel).await.unwrap().unwrap();
        let url = streams.streams[0].url.clone();
        let after = valid(TvChannel { url, ..current.content.clone() });
        let streams = Some(checked(streams, &()).unwrap());
        let write = ItemWrite { version: current.version, before: current.content, after, streams };
        let operation = self.operation(None).await;
        let of_channel = OperationRow { sheet_row: None, ..row(0, self.channel, Verdict::Changed, None) };
        let change = ItemChange::Write(Box::new(write));
        self.write(first_slice(operation.id), of_channel, Some(change), None).await;
    }
}

/// What stays of streams in a bulk change.
fn identities(list: &StoredStreams) -> Vec<(i64, StreamOrigin, Option<Id>)> {
    list.streams.iter().map(|stored| (stored.number, stored.origin, stored.entry)).collect()
}

on_both! {
    async fn streams_are_written_with_the_rows_of_an_operation_and_restored_with_their_entries(db: &TestDb) {
        let playlists = SeaOrmPlaylists(db.database.clone());
        let channels = SeaOrmContents::<TvChannelsTable>::new(db.database.clone());
        let (streams, lists) = (SeaOrmEntryStreams(db.database.clone()), SeaOrmStreams(db.database.clone()));
        let operations = SeaOrmOperations(db.database.clone());
        let category = Category { category_type: CategoryType::TvChannel, ..Category::numbered(0, 0) };
        let category = add(&store::<Category>(db), category).await;
        let sample = TvChannel { tv_guide_id: None, categories: vec![category], ..TvChannel::sample() };
        let channel = add(&channels, sample).await;
        let source = source(&playlists).await;
        let run = claimed(&playlists, source).await;
        let spare = entry("Reserva", "http://h.example/a");
        assert!(playlists.write(&run, vec![EntryWrite::Add(spare.clone(), Vec::new())], after(1)).await.unwrap());
        assert!(playlists.end(&run, finished(), after(1)).await.unwrap());
        let id = playlists.known(source, 0, 1).await.unwrap()[0].id;
        let addresses = async || {
            let list = lists.find(channel).await.unwrap().unwrap();
            list.streams.into_iter().map(|stored| stored.stream.url).collect::<Vec<_>>()
        };
        // An operation applies the entry to a channel of this version.
        let apply = async |version: i64, entry: &Entry| {
            let operation = begin(db, Kind::TvChannels, 1).await;
            let sheet = operation.import.as_ref().unwrap().sheet;
            assert!(playlists.expect_rows(source, sheet, vec![(id, 2, entry.clone())]).await.unwrap());
            let change = StreamChange { version, effect: StreamEffect::Apply(vec![id]) };
            let item = SliceItem { row: row(0, channel, Verdict::Unchanged, None), change: None, streams: Some(change) };
            let written = channels.write_slice(first_slice(operation.id), vec![item], edit(after(2))).await.unwrap();
            let SliceWritten::Done(counts) = written else { panic!("{written:?}") };
            (operations.find(operation.id).await.unwrap().unwrap(), counts)
        };
        let checks = streams.check_all(source, &[(id, channel)]).await.unwrap();
        let [StreamCheck::Allowed(version)] = checks[..] else { panic!("{checks:?}") };
        let own = addresses().await;
        let (added, counts) = apply(version, &spare).await;
        assert_eq!((counts.changed, addresses().await.len()), (1, own.len() + 1));
        let stored = playlists.find_all(source, &[id]).await.unwrap().remove(0);
        assert_eq!((stored.change, stored.stream_of), (EntryChange::Unchanged, Some(channel)));

        let second = claimed(&playlists, source).await;
        let moved = entry("Reserva", "http://h.example/b");
        let seen = EntryWrite::See(id, moved.clone(), Sign::Name);
        assert!(playlists.write(&second, vec![seen], after(3)).await.unwrap());
        assert!(playlists.end(&second, finished(), after(3)).await.unwrap());
        let changed = streams.changed(source, &[id]).await.unwrap();
        let [ChangedStream { entry: changed, channel: of, version: current }] = changed[..] else { panic!("{changed:?}") };
        assert_eq!((changed, of, current > version), (id, channel, true));
        // The channel has another version by now.
        let (_, counts) = apply(version, &moved).await;
        assert_eq!((counts.conflicts, counts.changed), (1, 0));
        assert_eq!(addresses().await.last().unwrap(), &spare.url);
        let (applied, counts) = apply(current, &moved).await;
        assert_eq!((counts.changed, addresses().await.last().unwrap()), (1, &moved.url));

        let undo = async |of: &BulkOperation, verdict: Verdict| {
            let rows = operations.rows(of, RowFilter::default(), 0, 10).await.unwrap();
            let field = |values: &Map<String, Value>| values["streams"].clone();
            let (before, after_it) = (field(&rows[0].before), field(&rows[0].after));
            let undo = NewOperation { undo_of: Some(of.id), import: None, ..import_of(db, Kind::TvChannels, 1).await };
            let undo = NewOperation { items: vec![channel.into()], ..undo };
            let Inserted::New(undo) = operations.insert(undo, None).await.unwrap() else { panic!("it is new") };
            let version = lists.find(channel).await.unwrap().unwrap().version;
            let change = StreamChange { version, effect: StreamEffect::Restore { before, after: after_it } };
            let of_channel = OperationRow { sheet_row: None, ..row(0, channel, Verdict::Unchanged, None) };
            let item = SliceItem { row: of_channel, change: None, streams: Some(change) };
            let slice = SliceOf { undoes: Some(of.id), ..first_slice(undo.id) };
            channels.write_slice(slice, vec![item], edit(after(4))).await.unwrap();
            let rows = operations.rows(&undo, RowFilter::default(), 0, 10).await.unwrap();
            assert_eq!(rows[0].verdict, verdict);
        };
        // The stream is not what it was made by the first operation.
        undo(&added, Verdict::Refused).await;
        undo(&applied, Verdict::Changed).await;
        assert_eq!(addresses().await.last().unwrap(), &spare.url);
        let stored = playlists.find_all(source, &[id]).await.unwrap().remove(0);
        assert_eq!((stored.change, stored.stream_of, stored.applied), (EntryChange::Changed, Some(channel), Some(spare)));
    }

    async fn a_stream_with_another_address_by_a_bulk_change_stays_that_of_its_entry(db: &TestDb) {
        let spare = entry("Reserva", SPARE);
        let fixture = Fixture::new(db, std::slice::from_ref(&spare)).await;
        let (id, channel) = (fixture.ids[0], fixture.channel);
        fixture.apply(id, &spare).await;
        let before = fixture.streams().await;
        assert_eq!(before.streams[1].entry, Some(id));
        let mut draft = before.draft();
        for (stream, url) in draft.streams.iter_mut().zip(["https://n.example/1.m3u8", "http://n.example/a"]) {
            url.clone_into(&mut stream.url);
        }
        for change in [draft.clone(), before.draft(), draft.clone()] {
            fixture.change(change.clone()).await;
            let changed = fixture.streams().await;
            assert_eq!((changed.draft(), identities(&changed)), (change, identities(&before)));
            let stored = fixture.entry(id).await;
            let state = (stored.change, stored.stream_of, stored.item, stored.applied.as_ref());
            assert_eq!(state, (EntryChange::Unchanged, Some(channel), None, Some(&spare)), "it is not new");
        }
        // A new name does not take the address back; another address is a change of the list.
        let renamed = entry("Reserva dos", SPARE);
        let moved = entry("Reserva dos", "http://h.example/b");
        for (now, url) in [(renamed, draft.streams[1].url.as_str()), (moved, "http://h.example/b")] {
            fixture.read(id, &now).await;
            fixture.apply(id, &now).await;
            let second = fixture.streams().await.streams.remove(1);
            assert_eq!((second.stream.label.as_deref(), second.stream.url.as_str()), (Some("Reserva dos"), url));
            assert_eq!((second.number, second.entry), (before.streams[1].number, Some(id)));
        }
    }

    async fn an_entry_that_was_ignored_before_it_became_a_stream_is_ignored_again_by_the_undo(db: &TestDb) {
        let spare = entry("Reserva", SPARE);
        let fixture = Fixture::new(db, std::slice::from_ref(&spare)).await;
        let (id, channel) = (fixture.ids[0], fixture.channel);
        db.run("UPDATE playlist_entries SET ignored = TRUE").await;
        let applied = fixture.apply(id, &spare).await;
        let state = async || {
            let stored = fixture.entry(id).await;
            (stored.ignored, stored.stream_of, stored.change)
        };
        assert_eq!(state().await, (false, Some(channel), EntryChange::Unchanged));
        let undone = fixture.undo(&applied).await;
        assert_eq!(state().await, (true, None, EntryChange::New));
        // The undo is undone, too.
        fixture.undo(&undone).await;
        assert_eq!(state().await, (false, Some(channel), EntryChange::Unchanged));
    }

    async fn an_undo_leaves_what_a_user_has_ignored_since(db: &TestDb) {
        let spare = entry("Reserva", SPARE);
        let fixture = Fixture::new(db, std::slice::from_ref(&spare)).await;
        let id = fixture.ids[0];
        let added = fixture.apply(id, &spare).await;
        let moved = entry("Reserva", "http://h.example/b");
        fixture.read(id, &moved).await;
        let changed = fixture.apply(id, &moved).await;
        db.run("UPDATE playlist_entries SET ignored = TRUE").await;
        for of in [changed, added] {
            fixture.undo(&of).await;
            assert!(fixture.entry(id).await.ignored);
        }
        assert_eq!(fixture.streams().await.streams.len(), 1);
    }

    async fn entries_are_checked_with_the_streams_that_their_channel_has_and_gets(db: &TestDb) {
        let entries = ["a", "a", "b", "c"].map(|name| entry(name, &format!("http://h.example/{name}")));
        let fixture = Fixture::new(db, &entries).await;
        let [first, same, second, third] = fixture.ids[..] else { panic!("four entries") };
        fixture.fill_to(MOST_STREAMS - 2, &[OWN]).await;
        let (channel, version) = (fixture.channel, fixture.streams().await.version);
        let (source, streams) = (fixture.source, SeaOrmEntryStreams(db.database.clone()));
        let added = [
            (first, channel), (same, channel), (first, channel), (second, 999_999), (999_999, channel),
            (second, channel), (third, channel),
        ];
        let allowed = StreamCheck::Allowed(version);
        let expected = [
            allowed, StreamCheck::Duplicate, StreamCheck::Duplicate, StreamCheck::NoChannel, StreamCheck::NotNew,
            allowed, StreamCheck::Full,
        ];
        assert_eq!(streams.check_all(source, &added).await.unwrap(), expected);
        assert_eq!(streams.check_all(source, &[(third, channel)]).await.unwrap(), [allowed], "nothing was written");
    }

    async fn a_channel_whose_list_is_full_keeps_its_content_when_an_apply_is_refused(db: &TestDb) {
        let spare = entry("Reserva", SPARE);
        let fixture = Fixture::new(db, std::slice::from_ref(&spare)).await;
        let id = fixture.ids[0];
        fixture.fill(&[OWN]).await;
        let before = fixture.channels.find(fixture.channel).await.unwrap().unwrap();
        let renamed = TvChannel { title: "Otra".into(), ..before.content.clone() };
        let row = fixture.apply_with(vec![(id, spare)], renamed).await;
        assert_eq!((row.verdict, row.problems[0].code), (Verdict::Refused, Code::TooMany), "{row:?}");
        assert_eq!(fixture.channels.find(fixture.channel).await.unwrap().unwrap(), before);
        let kept = fixture.entry(id).await;
        assert_eq!((kept.change, kept.stream_of), (EntryChange::New, None));
    }

    async fn a_list_that_keeps_its_first_stream_gets_no_stream_more_than_it_may_have(db: &TestDb) {
        let [spare, other] = [entry("Reserva", SPARE), entry("Otra", "http://h.example/c")];
        let fixture = Fixture::new(db, &[spare.clone(), other.clone()]).await;
        let [first, last] = fixture.ids[..] else { panic!("two entries") };
        fixture.apply(first, &spare).await;
        fixture.fill(&[SPARE, OWN]).await;
        // The first stream would be removed, as the list has its address; another one then fits.
        let same = entry("Reserva", OWN);
        fixture.read(first, &same).await;
        let content = fixture.channels.find(fixture.channel).await.unwrap().unwrap().content;
        let moved = TvChannel { url: "https://z.example/1.m3u8".into(), ..content };
        let row = fixture.apply_with(vec![(first, same), (last, other)], moved).await;
        assert_eq!((row.verdict, row.problems[0].code), (Verdict::Changed, Code::TooMany), "{row:?}");
        let streams = fixture.streams().await.streams;
        assert_eq!((streams.len(), streams[0].stream.url.as_str()), (MOST_STREAMS, "https://z.example/1.m3u8"));
        let refused = fixture.entry(last).await;
        assert_eq!((refused.change, refused.stream_of), (EntryChange::New, None));
    }

    async fn a_slice_locks_its_channels_and_entries_in_order_and_records_entries_by_one_statement_each(db: &TestDb) {
        let entries = ["a", "b", "c"].map(|name| entry(name, &format!("http://h.example/{name}")));
        let fixture = Fixture::new(db, &entries).await;
        let first = fixture.channels.find(fixture.channel).await.unwrap().unwrap().content;
        let mut channels = vec![fixture.channel];
        for title in ["Dos", "Tres"] {
            channels.push(add(&fixture.channels, TvChannel { title: title.into(), ..first.clone() }).await);
        }
        let operation = begin(db, Kind::TvChannels, 3).await;
        let sheet = operation.import.as_ref().unwrap().sheet;
        let rows = fixture.ids.iter().zip(&entries).zip(2..).map(|((id, entry), row)| (*id, row, entry.clone()));
        assert!(fixture.playlists.expect_rows(fixture.source, sheet, rows.collect()).await.unwrap());
        let item = |(position, (channel, entry)): (i64, (&Id, &Id))| SliceItem {
            row: row(position, *channel, Verdict::Unchanged, None),
            change: None,
            streams: Some(StreamChange { version: 1, effect: StreamEffect::Apply(vec![*entry]) }),
        };
        let items = (0..).zip(channels.iter().zip(&fixture.ids)).map(item).collect();
        let noted = Arc::<Mutex<Vec<Statement>>>::default();
        let notes = Arc::clone(&noted);
        let watched = db.database.clone().watched(move |statement| notes.lock().unwrap().push(statement.clone()));
        let store = SeaOrmContents::<TvChannelsTable>::new(watched);
        let written = store.write_slice(first_slice(operation.id), items, edit(after(3))).await.unwrap();
        assert!(matches!(written, SliceWritten::Done(counts) if counts.changed == 3), "{written:?}");
        let noted = noted.lock().unwrap().clone();
        let of = |beginning: &str| -> Vec<String> {
            noted.iter().map(|one| one.sql.clone()).filter(|sql| sql.starts_with(beginning)).collect()
        };
        assert_eq!(of("INSERT INTO \"applied_streams\"").len(), 1);
        assert_eq!(of("INSERT INTO \"channel_stream_versions\"").len(), 1);
        assert_eq!(db.number("SELECT count(*) AS number FROM channel_stream_versions").await, 3);
        for table in ["tv_channels", "playlist_entries"] {
            let locks = of(&format!("SELECT \"{table}\".\"id\""));
            assert!(locks.len() == 1 && locks[0].contains(&format!("ORDER BY \"{table}\".\"id\"")), "{locks:?}");
        }
    }

    async fn headers_that_a_user_sets_while_an_apply_waits_for_their_channel_stay(db: &TestDb) {
        let of_agent = |agent: &str| Entry {
            headers: vec![("User-Agent".to_owned(), agent.to_owned())],
            ..entry("Uno", OWN)
        };
        let fixture = Fixture::new(db, &[of_agent("VLC")]).await;
        let (id, channel) = (fixture.ids[0], fixture.channel);
        // The entry is the channel's, and its only stream has a row.
        let stream = ChannelStream {
            label: None,
            quality: None,
            url_type: UrlType::External,
            url: OWN.to_owned(),
            headers: vec![StreamHeader { name: "User-Agent".into(), value: "VLC".into() }],
        };
        let draft = ChannelStreams { failover: Failover::Manual, streams: vec![stream] };
        fixture.lists.replace(channel, checked(draft, &()).unwrap(), None, &edit(after(2))).await.unwrap();
        db.run(&format!(
            "UPDATE playlist_entries SET change = 'UNCHANGED', in_use = TRUE, item_kind = 'tv-channels', \
             item_id = {channel}, applied = content WHERE id = {id}"
        ))
        .await;
        db.run(&format!("UPDATE channel_streams SET origin = 'PLAYLIST', entry_id = {id}")).await;
        let agent = async || fixture.streams().await.streams[0].stream.headers[0].value.clone();
        // An operation that applies the entry with this header, and its slice.
        let begun = async |agent: &str| {
            fixture.read(id, &of_agent(agent)).await;
            let operation = begin(db, Kind::TvChannels, 1).await;
            let sheet = operation.import.as_ref().unwrap().sheet;
            let rows = vec![(id, 2, of_agent(agent))];
            assert!(fixture.playlists.expect_rows(fixture.source, sheet, rows).await.unwrap());
            let row = row(0, channel, Verdict::Unchanged, None);
            (first_slice(operation.id), vec![SliceItem { row, change: None, streams: None }])
        };
        let (slice, items) = begun("Kodi").await;
        let written = fixture.channels.write_slice(slice, items, edit(after(3))).await.unwrap();
        assert!(matches!(written, SliceWritten::Done(_)), "{written:?}");
        assert_eq!((agent().await.as_str(), fixture.streams().await.version), ("Kodi", 3), "it follows its list");
        let kept = fixture.lists.stored_in(channel, 2).await.unwrap();
        assert_eq!((kept.replaced_by, kept.first.unwrap().headers[0].value.as_str()), (Some(3), "VLC"));

        let (slice, items) = begun("Plex").await;
        let elsewhere = db.other_node().await;
        let editing = elsewhere.connection().begin().await.unwrap();
        let version = format!("UPDATE tv_channels SET version = version + 1 WHERE id = {channel}");
        let headers = r#"UPDATE channel_streams SET headers = '[{"name":"User-Agent","value":"Mine"}]'"#;
        for sql in [version.as_str(), headers] {
            editing.execute_unprepared(sql).await.unwrap();
        }
        let channels = SeaOrmContents::<TvChannelsTable>::new(db.database.clone());
        let applying = tokio::spawn(async move { channels.write_slice(slice, items, edit(after(4))).await });
        db.until_a_lock_is_awaited().await;
        editing.commit().await.unwrap();
        let written = applying.await.unwrap().unwrap();
        assert!(matches!(written, SliceWritten::Done(_)), "{written:?}");
        assert_eq!((agent().await.as_str(), fixture.streams().await.version), ("Mine", 4));
    }

    async fn a_slice_that_waits_for_a_channel_has_locked_no_later_one(db: &TestDb) {
        // SQLite has no locks of rows.
        if db.is_sqlite() {
            return;
        }
        let fixture = Fixture::new(db, &[entry("Reserva", SPARE)]).await;
        let (first, content) = (fixture.channel, fixture.channels.find(fixture.channel).await.unwrap().unwrap().content);
        let later = add(&fixture.channels, TvChannel { title: "Dos".into(), ..content.clone() }).await;
        let operation = begin(db, Kind::TvChannels, 2).await;
        let mut items = Vec::new();
        for (position, channel, title) in [(0, later, "Dos HD"), (1, first, "Uno HD")] {
            let before = fixture.channels.find(channel).await.unwrap().unwrap().content;
            let renamed = TvChannel { title: title.into(), ..before.clone() };
            items.push(item_write(row(position, channel, Verdict::Changed, None), 1, before, renamed));
        }
        let elsewhere = db.other_node().await;
        let editing = elsewhere.connection().begin().await.unwrap();
        let hold = format!("UPDATE tv_channels SET active = active WHERE id = {first}");
        editing.execute_unprepared(&hold).await.unwrap();
        let (channels, slice) = (SeaOrmContents::<TvChannelsTable>::new(db.database.clone()), first_slice(operation.id));
        let writing = tokio::spawn(async move { channels.write_slice(slice, items, edit(after(3))).await });
        db.until_a_lock_is_awaited().await;
        // As a merge of both channels.
        let other = format!("SELECT id FROM tv_channels WHERE id = {later} FOR UPDATE NOWAIT");
        editing.execute_unprepared(&other).await.unwrap();
        editing.commit().await.unwrap();
        let written = writing.await.unwrap().unwrap();
        assert!(matches!(written, SliceWritten::Done(counts) if counts.changed == 2), "{written:?}");
    }
}
