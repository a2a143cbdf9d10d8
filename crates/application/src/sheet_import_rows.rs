//! Imports rows of a spreadsheet as items: each row is matched with a stored item or creates one,
//! by the rules of its kind (docs/spec/import-export.md#recognition-of-rows).

use std::collections::{HashMap, HashSet};

use domain_catalogue::{
    Content, Kind, NaturalKey, RowContext, RowDraft, SheetColumn, Stored, TitleId, import_columns, read_row,
};
use domain_kernel::{
    Actor, Cell, Code, Enumeration, Id, Locale, SheetRow, Violation, Violations, difference, fold,
};
use domain_operations::{ItemKey, OperationRow, SheetRowOf, Verdict};
use ports::{
    DoneRow, ItemChange, ItemKeys, ItemWrite, SheetRepository, SliceItem, SliceOf, SliceWritten, StoreError,
    StreamChange, StreamEffect,
};
use serde_json::{Map, Value};

use crate::{ContentService, ContentServices, Error, body::to_json};

/// Maximum items compared with the rows of a slice.
const MOST_RECOGNISED: u64 = 10_000;
/// Item of a row without an item, or with one that will be created.
const NO_ITEM: ItemKey = ItemKey::Number(0);

/// An item that rows may name.
pub(crate) struct Named {
    kind: Kind,
    id: Id,
    /// Its names, folded.
    names: Vec<String>,
    /// Its type, if it is a category.
    category_type: Option<String>,
}

impl Named {
    pub(crate) fn of(kind: Kind, id: Id, item: &Map<String, Value>) -> Self {
        let text = |field: &str| item.get(field).and_then(Value::as_str);
        let names = ["title", "description", "englishDescription"].into_iter().filter_map(text).map(fold);
        let category_type = text("type").filter(|_| kind == Kind::Categories).map(str::to_owned);
        Self { kind, id, names: names.collect(), category_type }
    }
}

/// Default values of new items, as a row.
pub(crate) struct RowOfDefaults {
    pub(crate) columns: Vec<Option<SheetColumn>>,
    pub(crate) cells: Vec<Cell>,
}

impl RowOfDefaults {
    pub(crate) fn read(&self, context: &RowContext<'_>) -> RowDraft {
        read_row(&self.columns, &self.cells, context)
    }
}

/// Parameters of an import's slice.
pub(crate) struct SlicePlan<'a> {
    pub(crate) slice: SliceOf,
    pub(crate) rows: &'a [SheetRow],
    pub(crate) columns: &'a [Option<SheetColumn>],
    pub(crate) defaults: &'a RowOfDefaults,
    /// Column with the version of the item when its row was generated; uploaded files have none.
    pub(crate) version_column: Option<usize>,
    /// The column with the playlist entries that are streams of the row's channel.
    pub(crate) streams_column: Option<usize>,
    pub(crate) locale: Locale,
    pub(crate) names: &'a [Named],
    pub(crate) sheets: &'a dyn SheetRepository,
    pub(crate) dry_run: bool,
}

impl SlicePlan<'_> {
    /// Whether the item has changed since its row was generated.
    fn is_outdated<C>(&self, row: &SheetRow, item: &Stored<C>) -> bool {
        let made_of = self.version_column.and_then(|column| row.cells.get(column));
        matches!(made_of, Some(Cell::Integer(version)) if *version != item.version)
    }

    /// The entries whose streams a row changes.
    fn entries_of(&self, row: &SheetRow) -> Vec<Id> {
        match self.streams_column.and_then(|column| row.cells.get(column)) {
            Some(Cell::Text(ids)) => ids.split(',').filter_map(|id| id.trim().parse().ok()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a row has only the id of its item: the content is unchanged.
    fn is_of_streams_alone(&self, row: &SheetRow) -> bool {
        let is_blank = |(column, cell): (&Option<SheetColumn>, &Cell)| {
            cell.is_blank() || column.as_ref().is_none_or(|column| column.key == "id")
        };
        self.columns.iter().zip(&row.cells).all(is_blank)
    }
}

/// A row with its existing item, if any.
struct Recognised<C> {
    draft: RowDraft,
    current: Option<Stored<C>>,
    /// Whether the row matches several items.
    is_uncertain: bool,
}

/// Keys of a row without an id.
struct RowKeys {
    own: Option<NaturalKey>,
    /// Key of the item that the row would create with the defaults. An existing item with this key
    /// is the row's; otherwise the row would create a duplicate.
    filled: Option<NaturalKey>,
}

impl RowKeys {
    fn of<C: Content>(draft: &RowDraft, defaults: &RowDraft) -> Self {
        Self { own: draft.natural_key::<C>(), filled: draft.filled_key::<C>(defaults) }
    }

    fn are_unknown(&self) -> bool {
        self.own.is_none() && self.filled.is_none()
    }

    fn is_own(&self, item: &str) -> bool {
        self.own.as_ref().is_some_and(|key| key.fits(item))
    }

    fn is_filled(&self, item: &str) -> bool {
        self.filled.as_ref().is_some_and(|key| key.fits(item))
    }
}

impl<C: Content> ContentService<C> {
    async fn import_slice(&self, actor: &Actor, plan: &SlicePlan<'_>) -> Result<SliceWritten, Error> {
        let recognised = self.recognised(plan).await?;
        let mut items = Vec::with_capacity(plan.rows.len());
        for ((position, sheet_row), one) in (plan.slice.first_position..).zip(plan.rows).zip(recognised) {
            let mut row = OperationRow {
                position,
                item: one.current.as_ref().map_or(NO_ITEM, |current| current.id.into()),
                title: one.draft.title(C::NATURAL_KEY),
                verdict: Verdict::Refused,
                before: Map::new(),
                after: Map::new(),
                problems: Vec::new(),
                sheet_row: None,
            };
            let entries = plan.entries_of(sheet_row);
            let version = one.current.as_ref().map(|current| current.version);
            let change = if one.current.as_ref().is_some_and(|item| plan.is_outdated(sheet_row, item)) {
                row.verdict = Verdict::Conflict;
                None
            } else if !entries.is_empty()
                && plan.is_of_streams_alone(sheet_row)
                && let Some(current) = &one.current
            {
                row.title = title_of(&current.content);
                row.verdict = Verdict::Unchanged;
                None
            } else {
                self.change_by_row(one, &mut row)?
            };
            let takes_streams = !plan.dry_run
                && !entries.is_empty()
                && matches!(row.verdict, Verdict::Changed | Verdict::Unchanged);
            let streams = version
                .filter(|_| takes_streams)
                .map(|version| StreamChange { version, effect: StreamEffect::Apply(entries) });
            let (key, imdb_id) = match &change {
                Some(ItemChange::Create(content)) => (Some(content.natural_key()), imdb_of(&***content)),
                // An existing item may get its IMDb id in this slice, so no later row creates one
                // with that id.
                Some(ItemChange::Write(_)) => (None, row.after.get("imdbId").and_then(imdb_in)),
                _ => (None, None),
            };
            row.sheet_row = Some(SheetRowOf { number: sheet_row.number, key, imdb_id });
            items.push(SliceItem { row, change, streams });
        }
        self.refuse_repeated(plan, &mut items).await?;
        self.refuse_dangling(&mut items).await?;
        if plan.dry_run {
            self.only_verdicts(&mut items).await?;
        }
        Ok(self.repository.write_slice(plan.slice, items, self.edit_by(actor)).await?)
    }

    /// Reads the rows and finds their items.
    async fn recognised(&self, plan: &SlicePlan<'_>) -> Result<Vec<Recognised<C>>, Error> {
        let expected = |field: &str| {
            let references = C::sample().references();
            let reference = references.into_iter().find(|reference| reference.field == field)?;
            Some((reference.kind, reference.category_type.map(Enumeration::code)))
        };
        let foreign: HashMap<&str, _> = C::FOREIGN_KEYS
            .iter()
            .map(|(field, kind)| (*field, expected(field).unwrap_or((*kind, None))))
            .collect();
        let named = |field: &str, name: &str| -> Vec<Id> {
            let Some((kind, category_type)) = foreign.get(field) else { return Vec::new() };
            let wanted = fold(name);
            let fits = |item: &&Named| {
                item.kind == *kind
                    && item.names.contains(&wanted)
                    && category_type.is_none_or(|expected| item.category_type.as_deref() == Some(expected))
            };
            plan.names.iter().filter(fits).map(|item| item.id).collect()
        };
        let is_called = |field: &str, id: Id, name: &str| {
            let wanted = fold(name);
            let kind = foreign.get(field).map(|(kind, _)| *kind);
            plan.names
                .iter()
                .any(|item| Some(item.kind) == kind && item.id == id && item.names.contains(&wanted))
        };
        let context = RowContext { locale: plan.locale, named: &named, is_called: &is_called };
        let drafts: Vec<RowDraft> =
            plan.rows.iter().map(|row| read_row(plan.columns, &row.cells, &context)).collect();
        let defaults = plan.defaults.read(&context);
        let keys: Vec<RowKeys> = drafts.iter().map(|draft| RowKeys::of::<C>(draft, &defaults)).collect();
        let ids: Vec<Id> = drafts.iter().filter_map(|draft| draft.id).collect();
        let by_id = self.repository.find_all(&ids).await?;
        let by_id: HashMap<Id, Stored<C>> = by_id.into_iter().map(|item| (item.id, item)).collect();
        let by_key = self.items_with_keys(&drafts, &keys).await?;
        let recognise = |(mut draft, keys): (RowDraft, RowKeys)| {
            let mut is_uncertain = keys.are_unknown() && !draft.problems.is_empty();
            let current = match draft.id {
                Some(id) => by_id.get(&id).cloned(),
                None => match matching_item(&draft, &keys, &by_key) {
                    Ok(found) => {
                        // The item has the values that complete the key: empty cells do not remove
                        // them.
                        if found.is_some_and(|known| keys.is_filled(&known.key)) {
                            draft.keep_key::<C>();
                        }
                        found.map(|known| known.item.clone())
                    }
                    Err(problem) => {
                        draft.problems.push(problem);
                        is_uncertain = true;
                        None
                    }
                },
            };
            if current.is_none() {
                draft.fill(&defaults);
            }
            Recognised { draft, current, is_uncertain }
        };
        Ok(drafts.into_iter().zip(keys).map(recognise).collect())
    }

    /// Candidates for rows without an id.
    async fn items_with_keys(
        &self,
        drafts: &[RowDraft],
        keys: &[RowKeys],
    ) -> Result<Vec<KnownItem<C>>, Error> {
        let mut wanted = ItemKeys::default();
        for (draft, keys) in drafts.iter().zip(keys).filter(|(draft, _)| draft.id.is_none()) {
            wanted.imdb_ids.extend(draft.text_of("imdbId").map(normal));
            for key in keys.own.iter().chain(&keys.filled) {
                match key {
                    NaturalKey::Whole(key) => wanted.whole.push(key.clone()),
                    NaturalKey::Beginning(key) => wanted.beginnings.push(key.clone()),
                }
            }
        }
        if wanted == ItemKeys::default() {
            return Ok(Vec::new());
        }
        let found = self.repository.find_by_keys(wanted, MOST_RECOGNISED).await?;
        Ok(found.into_iter().map(KnownItem::of).collect())
    }

    /// Rejects rows whose item an earlier row of the file has.
    async fn refuse_repeated(&self, plan: &SlicePlan<'_>, items: &mut [SliceItem<C>]) -> Result<(), Error> {
        let is_done = |row: &OperationRow| {
            matches!(row.verdict, Verdict::Changed | Verdict::Unchanged | Verdict::Created)
        };
        let rows = || items.iter().map(|item| &item.row).filter(|row| is_done(row));
        let ids = rows().filter_map(|row| row.item.number()).filter(|id| *id != 0).collect();
        let keys = rows().filter_map(|row| row.sheet_row.as_ref()?.key.clone()).collect();
        let new = rows().filter(|row| row.verdict == Verdict::Created);
        let imdb_ids = new.filter_map(|row| row.sheet_row.as_ref()?.imdb_id.clone()).collect();
        // Items with the IMDb ids of this slice are not stored yet, nor are those of earlier slices
        // in a dry run.
        let mut done = plan.sheets.done_rows(plan.slice.operation, ids, keys, imdb_ids).await?;
        for SliceItem { row, change, streams } in items.iter_mut().filter(|item| is_done(&item.row)) {
            let Some(SheetRowOf { number, key, imdb_id }) = &mut row.sheet_row else { continue };
            let item = row.item.number().unwrap_or_default();
            // Existing items may have the same IMDb id.
            let new_imdb_id = imdb_id.as_ref().filter(|_| row.verdict == Verdict::Created);
            let same = |earlier: &&DoneRow| {
                (item != 0 && earlier.item == item)
                    || (key.is_some() && earlier.key == *key)
                    || (new_imdb_id.is_some() && earlier.imdb_id.as_ref() == new_imdb_id)
            };
            let Some(earlier) = done.iter().find(same).map(|earlier| earlier.row) else {
                done.push(DoneRow { item, key: key.clone(), imdb_id: imdb_id.clone(), row: *number });
                continue;
            };
            // The row does not change the item, so the item's outcome does not apply to it.
            (*key, *imdb_id) = (None, None);
            (*change, *streams) = (None, None);
            row.item = NO_ITEM;
            let repeated = Violation::new("", Code::DuplicateRow).with("row", earlier);
            row.fail(Verdict::Refused, vec![repeated]);
        }
        Ok(())
    }

    /// The change made by a row; sets the verdict of the operation's row.
    fn change_by_row(
        &self,
        one: Recognised<C>,
        row: &mut OperationRow,
    ) -> Result<Option<ItemChange<C>>, Error> {
        let Recognised { draft, current, is_uncertain } = one;
        if is_uncertain && current.is_none() {
            row.problems = Violations(draft.problems).shortened().0;
            return Ok(None);
        }
        if draft.id.is_some() && current.is_none() && draft.problems.is_empty() {
            row.verdict = Verdict::Missing;
            return Ok(None);
        }
        let before = match &current {
            Some(stored) => match to_json(&stored.content)? {
                Value::Object(fields) => fields,
                _ => return Err(StoreError::Broken("content is not an object".into()).into()),
            },
            None => Map::new(),
        };
        let mut wanted = before.clone();
        let places = draft.apply(&mut wanted);
        let previous = current.as_ref().map(|stored| &stored.content);
        let read = self.validated(wanted.into(), previous);
        let mut problems = draft.problems;
        let content = match read {
            Ok(content) if problems.is_empty() => content,
            Ok(_) => {
                row.problems = problems;
                return Ok(None);
            }
            Err(Violations(violations)) => {
                let known: HashSet<String> =
                    problems.iter().map(|problem| SheetColumn::key_of(&problem.field)).collect();
                let violations = violations.into_iter().map(|violation| in_columns(violation, &places));
                problems.extend(
                    violations.filter(|violation| !known.contains(&SheetColumn::key_of(&violation.field))),
                );
                row.problems = Violations(problems).shortened().0;
                return Ok(None);
            }
        };
        row.title = title_of(&*content);
        let Some(stored) = current else {
            row.verdict = Verdict::Created;
            return Ok(Some(ItemChange::Create(Box::new(content))));
        };
        let Value::Object(after) = to_json(&*content)? else { return Ok(None) };
        let diff = difference(&before, &after);
        if diff.before.is_empty() {
            row.verdict = Verdict::Unchanged;
            return Ok(None);
        }
        row.verdict = Verdict::Changed;
        (row.before, row.after) = (diff.before, diff.after);
        let (version, before) = (stored.version, stored.content);
        Ok(Some(ItemChange::Write(Box::new(ItemWrite { version, before, after: content, streams: None }))))
    }

    async fn items_named(&self, names: Vec<String>) -> Result<Vec<(Id, Map<String, Value>)>, Error> {
        let found = self.repository.find_named(names).await?;
        let item = |stored: Stored<C>| match to_json(&stored.content)? {
            Value::Object(fields) => Ok((stored.id, fields)),
            _ => Err(StoreError::Broken("content is not an object".into()).into()),
        };
        found.into_iter().map(item).collect()
    }
}

/// Title of an item for users: the first two lines of its search text.
fn title_of<C: Content>(content: &C) -> String {
    let text = content.search_text();
    text.lines().filter(|line| !line.is_empty()).take(2).collect::<Vec<_>>().join(" · ")
}

/// An item that a row may refer to, with the keys that identify it.
struct KnownItem<C> {
    item: Stored<C>,
    key: String,
    imdb: Option<String>,
}

impl<C: Content> KnownItem<C> {
    fn of(item: Stored<C>) -> Self {
        Self { key: item.content.natural_key(), imdb: imdb_of(&item.content), item }
    }
}

fn imdb_of<C: Content>(content: &C) -> Option<String> {
    imdb_in(&to_json(content).ok()?["imdbId"])
}

/// The IMDb id of a field.
fn imdb_in(field: &Value) -> Option<String> {
    field.as_str().map(normal)
}

/// A title id in its canonical form.
fn normal(imdb: &str) -> String {
    TitleId::parse(imdb).map_or_else(|| imdb.to_owned(), |id| id.to_string())
}

/// The item of a row without an id: the one with its IMDb id, otherwise the one with its natural
/// key; if not exactly one has that, the one with the key completed by the defaults.
fn matching_item<'a, C: Content>(
    draft: &RowDraft,
    keys: &RowKeys,
    items: &'a [KnownItem<C>],
) -> Result<Option<&'a KnownItem<C>>, Violation> {
    let ambiguous = |found: &[&KnownItem<C>]| {
        let ids: Vec<Id> = found.iter().take(10).map(|known| known.item.id).collect();
        Violation::new("", Code::Ambiguous).with("ids", ids)
    };
    let with_key = |items: &[&'a KnownItem<C>]| -> Vec<&'a KnownItem<C>> {
        let own: Vec<_> = items.iter().copied().filter(|known| keys.is_own(&known.key)).collect();
        if own.len() == 1 {
            return own;
        }
        let filled: Vec<_> = items.iter().copied().filter(|known| keys.is_filled(&known.key)).collect();
        if filled.is_empty() { own } else { filled }
    };
    let items: Vec<&KnownItem<C>> = items.iter().collect();
    let imdb = draft.text_of("imdbId").map(normal);
    if imdb.is_some() {
        let same: Vec<_> = items.iter().copied().filter(|known| known.imdb == imdb).collect();
        match same[..] {
            [] => {}
            [one] => return Ok(Some(one)),
            ref several => {
                let narrowed = with_key(several);
                return if let [one] = narrowed[..] { Ok(Some(one)) } else { Err(ambiguous(several)) };
            }
        }
    }
    let same = with_key(&items);
    match same[..] {
        [] => Ok(None),
        [one] => {
            let other = imdb.is_some() && one.imdb.is_some();
            if other { Err(Violation::new("imdbId", Code::Contradictory)) } else { Ok(Some(one)) }
        }
        ref several => Err(ambiguous(several)),
    }
}

/// Maps a violation in a link of the item to the columns of its position, where users look for it.
fn in_columns(mut violation: Violation, places: &[usize]) -> Violation {
    let moved = violation.field.strip_prefix("links[").and_then(|rest| {
        let (index, rest) = rest.split_once(']')?;
        let place = places.get(index.parse::<usize>().ok()?)?;
        Some(format!("links[{place}]{rest}"))
    });
    if let Some(field) = moved {
        violation.field = field;
    }
    violation
}

macro_rules! by_kind {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        impl ContentServices {
            /// Columns that an import of a kind reads, for a number of links.
            pub(crate) fn import_columns(&self, kind: Kind, links: usize) -> Vec<SheetColumn> {
                match kind {
                    $(Kind::$kind => import_columns(&self.$field.reader, links),)+
                }
            }

            pub(crate) async fn items_named(&self, kind: Kind, names: Vec<String>) -> Result<Vec<(Id, Map<String, Value>)>, Error> {
                match kind {
                    $(Kind::$kind => Box::pin(self.$field.items_named(names)).await,)+
                }
            }

            pub(crate) async fn import_slice(&self, kind: Kind, actor: &Actor, plan: &SlicePlan<'_>) -> Result<SliceWritten, Error> {
                match kind {
                    $(Kind::$kind => Box::pin(self.$field.import_slice(actor, plan)).await,)+
                }
            }
        }
    };
}
domain_catalogue::for_each_kind!(by_kind);
