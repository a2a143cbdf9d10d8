//! A store with many items, and a model of the expected results of its lists.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
};

use adapter_seaorm::catalogue::{ContentTable, SeaOrmContents};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain_catalogue::Stored;
use domain_kernel::{Bound, Filter, FilterValue, Id, ListQuery, Page, Sort, fold, order_key};
use ports::{ContentRepository, ImportOutcome, ImportedItem};
use serde_json::Value;

use crate::{
    kinds::{KindFixture, SHARED_URL, store},
    support::{TestDb, after, nightly, start, valid},
};

/// The last editor of each fifth item.
const EDITOR: &str = "ana_Editor";

/// An item in the model.
pub struct Known {
    pub id: Id,
    pub json: Value,
    seen: Vec<String>,
}

pub struct TestContents<C: KindFixture> {
    pub store: SeaOrmContents<C::Table>,
    pub categories: Vec<Id>,
    pub items: Vec<Known>,
    /// The rows of the last query, by its parameters, because pages of one list are read one after
    /// the other.
    last: Mutex<(String, Arc<[Id]>)>,
}

impl<C: KindFixture> TestContents<C> {
    /// `count` items; views, dates and categories repeat.
    pub async fn of(db: &TestDb, count: usize) -> Self {
        let categories = C::categories(db).await;
        let store = store::<C>(db);
        let mut items = Vec::new();
        let numbers: Vec<usize> = (0..count).collect();
        for numbers in numbers.chunks(500) {
            let batch: Vec<ImportedItem<C>> =
                numbers.iter().map(|number| imported(*number, &categories)).collect();
            let outcomes = store.import(batch.clone(), start()).await.unwrap();
            for (item, outcome) in batch.into_iter().zip(outcomes) {
                let ImportOutcome::Created(id) = outcome else { panic!("{outcome:?}: {:?}", item.content) };
                // Imports do not set an editor.
                let editor = id % 5 == 0;
                items.push(known(&Stored {
                    id,
                    version: 1,
                    content: item.content.into_inner(),
                    views: item.views,
                    created_date: item.created_date.unwrap(),
                    updated_date: item.updated_date.unwrap(),
                    updated_by: editor.then(|| EDITOR.to_owned()),
                }));
            }
        }
        let table = C::KIND.path().replace('-', "_");
        db.run(&format!("UPDATE {table} SET updated_by = '{EDITOR}' WHERE id % 5 = 0")).await;
        Self { store, categories, items, last: Mutex::default() }
    }

    pub async fn page(&self, query: &ListQuery) -> Page<Vec<Value>> {
        let page = self.store.list(query).await.unwrap();
        let content = serde_json::from_str(page.content.0.get()).unwrap();
        Page {
            content,
            page: page.page,
            size: page.size,
            total_pages: page.total_pages,
            total_elements: page.total_elements,
        }
    }

    /// The IDs of all matching rows, in order.
    pub fn expected(&self, query: &ListQuery) -> Arc<[Id]> {
        let (search, sort, filters) = (&query.search, &query.sort, &query.filters);
        // Tests remove items but never change one.
        let decisive = format!("{} {search:?} {sort:?} {filters:?}", self.items.len());
        let mut last = self.last.lock().unwrap();
        if last.0 != decisive {
            *last = (decisive, self.in_order(query));
        }
        Arc::clone(&last.1)
    }

    fn in_order(&self, query: &ListQuery) -> Arc<[Id]> {
        let needle = query.search.as_deref().map(fold).unwrap_or_default();
        let filtered_by_them = query.filters.iter().any(|filter| filter.field == "duplicated");
        let duplicates = if filtered_by_them { duplicates(&self.items) } else { HashSet::new() };
        let fits_filter = |item: &Known, filter: &Filter| match filter.value {
            FilterValue::Flag(flag) if filter.field == "duplicated" => duplicates.contains(&item.id) == flag,
            _ => fits(&item.json, filter),
        };
        let mut matching: Vec<&Known> = self
            .items
            .iter()
            .filter(|item| item.seen.iter().any(|line| line.contains(&needle)))
            .filter(|item| query.filters.iter().all(|filter| fits_filter(item, filter)))
            .collect();
        let last_descends = query.sort.last().is_some_and(|sort| sort.descending);
        let by_id = Sort { field: "id".into(), descending: last_descends };
        let order: Vec<&Sort> = query.sort.iter().chain([&by_id]).collect();
        let keys = |item: &Known| order.iter().map(|sort| key(&item.json, &sort.field)).collect::<Vec<_>>();
        let mut keyed: Vec<_> = matching.drain(..).map(|item| (keys(item), item.id)).collect();
        keyed.sort_by(|(one, _), (other, _)| {
            let by_field = order
                .iter()
                .zip(one.iter().zip(other))
                .map(|(sort, (one, other))| if sort.descending { other.cmp(one) } else { one.cmp(other) });
            by_field.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        keyed.into_iter().map(|(_, id)| id).collect()
    }

    /// Compares one page with the model.
    pub async fn check(&self, query: &ListQuery) {
        let all = self.expected(query);
        let page = self.page(query).await;
        let ids: Vec<Id> = page.content.iter().map(|row| row["id"].as_i64().unwrap()).collect();
        let begin = usize::try_from(query.offset()).unwrap_or(usize::MAX).min(all.len());
        let end = begin.saturating_add(query.size as usize).min(all.len());
        assert_eq!(ids, all[begin..end], "{query:?}");
        assert_eq!(page.total_elements, all.len() as u64, "{query:?}");
        assert_eq!(page.total_pages, (all.len() as u64).div_ceil(query.size.into()), "{query:?}");
        assert_eq!((page.page, page.size), (query.page, query.size));
    }
}

fn imported<C: KindFixture>(number: usize, categories: &[Id]) -> ImportedItem<C> {
    let minutes = i64::try_from(number).unwrap();
    ImportedItem {
        content: valid(C::numbered(number, categories[number % 7 % categories.len()])),
        views: minutes * 31 % 97,
        // With and without fractions of a second, which SQLite stores as text.
        created_date: Some(after(-(minutes % 400)) + TimeDelta::milliseconds([0, 377, -123][number % 3])),
        updated_date: Some(after(minutes % 300) - TimeDelta::milliseconds([123, 23, 0][number % 3])),
    }
}

fn known<C: KindFixture>(stored: &Stored<C>) -> Known {
    Known {
        id: stored.id,
        seen: stored.content.search_text().lines().map(fold).collect(),
        json: serde_json::to_value(stored).unwrap(),
    }
}

/// The items that have an ID of the film database, a title and year, or the URL of a link in common
/// with another.
fn duplicates(items: &[Known]) -> HashSet<Id> {
    let mut groups: HashMap<String, HashSet<Id>> = HashMap::new();
    for Known { id, json, .. } in items {
        let title = json["title"].as_str().map(order_key).filter(|title| !title.is_empty());
        let links = json["links"].as_array().into_iter().flatten();
        let keys = links
            .map(|link| format!("url {}", link["url"]))
            .chain(json["imdbId"].as_str().map(|imdb_id| format!("id {imdb_id}")))
            .chain(title.map(|title| format!("title {title} {}", json["year"])));
        for key in keys {
            groups.entry(key).or_default().insert(*id);
        }
    }
    groups.into_values().filter(|group| group.len() > 1).flatten().collect()
}

fn fits(json: &Value, filter: &Filter) -> bool {
    let holds = |field: &str, value: Value| json[field].as_array().is_some_and(|all| all.contains(&value));
    match (filter.field.as_str(), &filter.value) {
        ("missing", FilterValue::Code("COVER")) => return json["coverImageUrl"].is_null(),
        ("missing", FilterValue::Code("SPANISH_SYNOPSIS")) => return json["spanishSynopsis"].is_null(),
        ("missing", FilterValue::Code("ENGLISH_SYNOPSIS")) => return json["englishSynopsis"].is_null(),
        ("missing", FilterValue::Code("TRAILER")) => return json["trailerUrl"].is_null(),
        ("missing", FilterValue::Code("LINKS")) => {
            return json["links"].as_array().unwrap().iter().all(|link| link["active"] == false);
        }
        ("missing", FilterValue::Code("LOGO")) => return json["imageUrl"].is_null(),
        ("missing", FilterValue::Code("GUIDE")) => return json["tvGuideId"].is_null(),
        ("linkUrl", FilterValue::Text(url)) => {
            return json["links"].as_array().unwrap().iter().take(3).any(|link| link["url"] == *url);
        }
        ("startsWith", FilterValue::Text(text)) => {
            let name = json["title"].as_str().or(json["description"].as_str()).unwrap();
            return order_key(name).starts_with(&order_key(text));
        }
        ("genre", FilterValue::Code(code)) => return holds("genres", (*code).into()),
        ("genre", FilterValue::Codes(codes)) => {
            return codes.iter().any(|code| holds("genres", (*code).into()));
        }
        ("categoryId", FilterValue::Reference(id)) if json["categories"].is_array() => {
            return holds("categories", (*id).into());
        }
        _ => {}
    }
    match &filter.value {
        FilterValue::Flag(flag) => json[&filter.field] == *flag,
        FilterValue::Reference(number) | FilterValue::Number(number) => json[&filter.field] == *number,
        FilterValue::Code(code) => json[&filter.field] == *code,
        FilterValue::References(ids) => ids.iter().any(|id| json[&filter.field] == *id),
        FilterValue::Codes(codes) => codes.iter().any(|code| json[&filter.field] == *code),
        FilterValue::Day(day) => {
            let (field, bound) = Bound::split(&filter.field).unwrap();
            json[field].as_str().map(|text| text.parse::<NaiveDate>().unwrap()).is_some_and(|known| {
                match bound {
                    Bound::From => known >= *day,
                    Bound::To => known <= *day,
                }
            })
        }
        FilterValue::Moment(moment) => {
            let (field, bound) = Bound::split(&filter.field).unwrap();
            let known: DateTime<Utc> = json[field].as_str().unwrap().parse().unwrap();
            (bound == Bound::From) == (known >= *moment)
        }
        FilterValue::Text(text) => {
            json[&filter.field].as_str().is_some_and(|known| fold(known) == fold(text))
        }
    }
}

/// The sort key of a field.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Flag(bool),
    Number(i64),
    VisitTime(DateTime<Utc>),
    Text(String),
}

fn key(json: &Value, field: &str) -> Key {
    match &json[field] {
        Value::Bool(flag) => Key::Flag(*flag),
        Value::Number(number) => Key::Number(number.as_i64().unwrap()),
        Value::String(text) if field.ends_with("Date") => Key::VisitTime(text.parse().unwrap()),
        Value::String(text) if field == "type" => Key::Text(text.clone()),
        Value::String(text) => Key::Text(order_key(text)),
        other => panic!("{field} is {other}"),
    }
}

/// The order by one field.
pub fn by(field: &str, descending: bool) -> Vec<Sort> {
    vec![Sort { field: field.into(), descending }]
}

/// Every sort field of the kind's list.
pub fn sortable<C: KindFixture>() -> impl Iterator<Item = &'static str> {
    C::SORTS.iter().copied().chain(["id", "createdDate", "updatedDate"])
}

/// Every filter of the kind, with values that match many, few and no items.
pub fn filters<C: KindFixture>(categories: &[Id]) -> Vec<Filter> {
    use domain_kernel::FilterKind;
    C::FILTERS
        .iter()
        .flat_map(|(field, kind)| {
            let values: Vec<FilterValue> = match kind {
                FilterKind::Flag => vec![FilterValue::Flag(true), FilterValue::Flag(false)],
                FilterKind::Reference => {
                    categories.iter().copied().chain([9_999]).map(FilterValue::Reference).collect()
                }
                FilterKind::Number if *field == "year" => [1951, 1955, 2999].map(FilterValue::Number).into(),
                FilterKind::Number => (0..3).map(FilterValue::Number).collect(),
                FilterKind::Code(codes) if *field == "missing" => {
                    codes.iter().copied().map(FilterValue::Code).collect()
                }
                FilterKind::Code(codes) => codes.iter().copied().take(2).map(FilterValue::Code).collect(),
                FilterKind::References => {
                    let one = categories.iter().copied().chain([9_999]).map(FilterValue::Reference);
                    let several = FilterValue::References([&categories[..1], &[9_999]].concat());
                    one.chain([several, FilterValue::References(categories[1..].to_vec())]).collect()
                }
                FilterKind::Codes(codes) => {
                    let one = codes.iter().copied().take(2).map(FilterValue::Code);
                    one.chain([FilterValue::Codes(codes[2..4].to_vec())]).collect()
                }
                FilterKind::Day => {
                    ["1999-03-31", "2999-01-01"].map(|day| FilterValue::Day(day.parse().unwrap())).into()
                }
                // Between the stored times, equal to some, and outside of all.
                FilterKind::Moment => [after(-200), after(150), after(500)].map(FilterValue::Moment).into(),
                FilterKind::Text if *field == "startsWith" => {
                    ["cor", "¿Y dónde está x", "ñ", "zzz"].map(|text| FilterValue::Text(text.into())).into()
                }
                FilterKind::Text if *field == "updatedBy" => {
                    ["ANA_editor", "nobody"].map(|text| FilterValue::Text(text.into())).into()
                }
                FilterKind::Text if *field == "linkUrl" => {
                    [SHARED_URL, "https://cdn.example.com/7.m3u8", "none"]
                        .map(|url| FilterValue::Text(url.into()))
                        .into()
                }
                FilterKind::Text => ["tt0133093", "none"].map(|text| FilterValue::Text(text.into())).into(),
            };
            values.into_iter().map(|value| Filter { field: (*field).to_owned(), value })
        })
        .collect()
}

/// Combinations of two different filters: nightly every one, otherwise the first value of a counted
/// filter with the first value of every other.
pub fn pairs_of_filters<C: KindFixture>(categories: &[Id]) -> Vec<Vec<Filter>> {
    let all = filters::<C>(categories);
    let is_first = |index: usize| all[..index].iter().all(|earlier| earlier.field != all[index].field);
    let is_counted = |filter: &Filter| C::Table::COUNTED.contains(&filter.field.as_str());
    let mut pairs = Vec::new();
    for (index, one) in all.iter().enumerate() {
        for (at, other) in
            all.iter().enumerate().skip(index + 1).filter(|(_, other)| other.field != one.field)
        {
            let few = is_first(index) && is_first(at) && (is_counted(one) || is_counted(other));
            if few || nightly() {
                pairs.push(vec![one.clone(), other.clone()]);
            }
        }
    }
    pairs
}
