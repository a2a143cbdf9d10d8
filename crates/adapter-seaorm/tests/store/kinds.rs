//! Hundreds of items of every kind: equal titles, accents, quotes, and operators of search engines.

use adapter_seaorm::catalogue::{CategoriesTable, ContentTable, MoviesTable, SeaOrmContents};
use domain_catalogue::{
    Category, CategoryType, Content, Link, LinkQuality, MediaFields, Movie, MovieClassification, MovieGenre,
    Stored, StreamUrl, WebUrl,
};
use domain_kernel::{Enumeration, Id, Version, difference};
use domain_operations::OperationRow;
use ports::{ContentRepository, Inserted, ItemChange, ItemWrite, SliceItem, Written};
use serde_json::{Map, Value};

use crate::support::{TestDb, edit, start, valid};

/// The fixture of a kind.
pub trait KindFixture: Content {
    type Table: ContentTable<Content = Self>;

    /// The categories that items may have.
    fn categories(db: &TestDb) -> impl Future<Output = Vec<Id>> + Send;

    /// The item with this number; up to 3,000 the natural keys are unique.
    fn numbered(number: usize, category: Id) -> Self;

    /// The item with another name.
    fn named(self, name: &str) -> Self;

    /// The item, active or not.
    fn shown(self, active: bool) -> Self;
}

/// The change of an item in a slice; its row gets the fields that differ.
pub fn item_write<C: Content>(row: OperationRow, version: Version, before: C, after: C) -> SliceItem<C> {
    let json = |content: &C| -> Map<String, Value> {
        serde_json::from_value(serde_json::to_value(content).unwrap()).unwrap()
    };
    let diff = difference(&json(&before), &json(&after));
    let row = OperationRow { before: diff.before, after: diff.after, ..row };
    let write = ItemWrite { version, before, after: valid(after) };
    SliceItem { row, change: Some(ItemChange::Write(Box::new(write))), streams: None }
}

/// The URL of a link that several films have.
pub const SHARED_URL: &str = "https://cdn.example.com/shared.m3u8";

const FIRST: [&str; 23] = [
    "Corazón",
    "¿Y dónde está",
    "El niño",
    "100%",
    "_raw_",
    "\"Quoted\"",
    "AND",
    "NEAR",
    "OR NOT",
    "Star*",
    "O'Brien",
    "Łódź",
    "Straße",
    "東京物語",
    "C++ ^ ~ :",
    "(paréntesis",
    "Ñandú",
    "a",
    "Zz",
    "ÅNGSTRÖM",
    "back\\slash",
    "{curly}",
    "--dash;",
];
const LAST: [&str; 11] =
    ["salvaje", "perdido", "de noche", "II", "ÚLTIMO", "x", "100", "50%", "a_b", "\"\"", "NOT"];

fn title(number: usize) -> String {
    format!("{} {}", FIRST[number % 23], LAST[number / 23 % 11])
}

/// The store of a kind.
pub fn store<C: KindFixture>(db: &TestDb) -> SeaOrmContents<C::Table> {
    SeaOrmContents::new(db.database.clone())
}

/// A category with this name and type.
pub async fn add_category(db: &TestDb, name: &str, category_type: CategoryType) -> Id {
    let category =
        Category { description: name.into(), english_description: name.into(), category_type, active: true };
    add(&store::<Category>(db), category).await
}

/// The sample of a kind, and its ID, with all references; its category gets the type that it needs.
pub async fn add_sample<T: ContentTable>(db: &TestDb) -> Id {
    let sample = T::Content::sample();
    for reference in sample.references() {
        if let Some(category_type) = reference.category_type {
            let (code, id) = (category_type.code(), reference.id);
            db.run(&format!("UPDATE categories SET type = '{code}' WHERE id = {id}")).await;
        }
    }
    add(&SeaOrmContents::<T>::new(db.database.clone()), sample).await
}

/// An item, and its id.
pub async fn add<C: Content>(store: &impl ContentRepository<C>, item: C) -> Id {
    match store.insert(valid(item), edit(start()), None).await.unwrap() {
        Inserted::New(stored) => stored.id,
        other => panic!("{other:?}"),
    }
}

/// The written item.
pub fn done<C: Content, X: std::fmt::Debug>(outcome: Written<Stored<C>, X>) -> Stored<C> {
    match outcome {
        Written::Done(stored) => stored,
        other => panic!("{other:?}"),
    }
}

impl KindFixture for Category {
    type Table = CategoriesTable;

    async fn categories(_: &TestDb) -> Vec<Id> {
        vec![0]
    }

    fn numbered(number: usize, _: Id) -> Self {
        Self {
            description: format!("{} {}", title(number), number / 253),
            english_description: title(number * 7),
            category_type: CategoryType::ALL[number % 6],
            active: !number.is_multiple_of(3),
        }
    }

    fn named(self, name: &str) -> Self {
        Self { description: name.into(), ..self }
    }

    fn shown(self, active: bool) -> Self {
        Self { active, ..self }
    }
}

impl KindFixture for Movie {
    type Table = MoviesTable;

    async fn categories(db: &TestDb) -> Vec<Id> {
        let mut ids = Vec::new();
        for name in ["Acción", "Terror", "Cine mudo"] {
            ids.push(add_category(db, name, CategoryType::Movie).await);
        }
        ids
    }

    fn numbered(number: usize, category: Id) -> Self {
        let sample = Self::sample();
        let genre = |step: usize| MovieGenre::ALL[(number * step + step) % MovieGenre::ALL.len()];
        let rare = number.is_multiple_of(3);
        let mut links = sample.links;
        links[0].active = !number.is_multiple_of(11);
        links[0].url = StreamUrl(format!("https://cdn.example.com/{number}.m3u8"));
        // The shared URL is that of the second, third or fourth link.
        if number.is_multiple_of(10) {
            links.truncate(1);
            for position in 1..=number / 10 % 3 + 1 {
                let url = if position == number / 10 % 3 + 1 {
                    SHARED_URL.to_owned()
                } else {
                    format!("https://cdn.example.com/{number}/{position}.m3u8")
                };
                let quality = LinkQuality::ALL[position % 2];
                links.push(Link {
                    id: Some(format!("l{position}")),
                    url: StreamUrl(url),
                    quality,
                    ..links[0].clone()
                });
            }
        }
        Self {
            title: title(number),
            year: 1950 + i32::try_from(number / 253).unwrap(),
            rating: Some(f64::from(u8::try_from(number % 101).unwrap()) / 10.0).filter(|_| !rare),
            release_date: sample.release_date.filter(|_| !rare),
            imdb_id: sample.imdb_id.filter(|_| !rare),
            media: MediaFields {
                english_synopsis: sample.media.english_synopsis.filter(|_| !number.is_multiple_of(7)),
                spanish_synopsis: Some(format!("Sinopsis\nde «{number}»")).filter(|_| !rare),
                cover_image_url: Some(WebUrl(format!("https://images.example.com/{number}.jpg")))
                    .filter(|_| rare),
                reference: None,
                active: number % 4 != 1,
                kids_content: number.is_multiple_of(2),
                ..sample.media
            },
            classification: MovieClassification::ALL[number % 7],
            genres: if number.is_multiple_of(5) { vec![] } else { vec![genre(1)] },
            category_id: category,
            links,
            ..sample
        }
    }

    fn named(self, name: &str) -> Self {
        Self { title: name.into(), ..self }
    }

    fn shown(self, active: bool) -> Self {
        Self { media: MediaFields { active, ..self.media }, ..self }
    }
}
