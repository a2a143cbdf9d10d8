//! The model of films: the effect of each step on their values, their trash, views and reports.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::sequences::Steps;

/// A change of one field, of a single film or of many.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Set(&'static str, Value),
    /// Of every link.
    Quality(&'static str),
    /// The field, the text to find and its replacement.
    Replace(&'static str, &'static str, &'static str),
    /// `ADD` or `REMOVE`, and the genre.
    Genre(&'static str, &'static str),
}

impl Change {
    pub(super) fn field(&self) -> &'static str {
        match self {
            Self::Set(field, _) | Self::Replace(field, ..) => field,
            Self::Quality(_) => "links",
            Self::Genre(..) => "genres",
        }
    }

    /// As an operation names it.
    pub(super) fn action(&self) -> Value {
        match self {
            Self::Set(field, value) => json!({"type": "SET", "set": {*field: value}}),
            Self::Quality(quality) => json!({"type": "SET", "set": {"linkQuality": quality}}),
            Self::Replace(field, find, replacement) => {
                json!({"type": "REPLACE", "fields": [field], "find": find, "replacement": replacement})
            }
            Self::Genre(change_type, genre) => {
                json!({"type": change_type, "list": "genres", "values": [genre]})
            }
        }
    }

    /// The value of the field after the change.
    pub(super) fn applied(&self, known: &Value) -> Value {
        match self {
            Self::Set(_, value) => value.clone(),
            Self::Quality(quality) => each_link(known, |link| link["quality"] = json!(quality)),
            Self::Replace("links", find, replacement) => each_link(known, |link| {
                let url = replaced(&link["url"], find, replacement);
                link["url"] = url;
            }),
            Self::Replace(_, find, replacement) => replaced(known, find, replacement),
            Self::Genre(change_type, genre) => {
                let genre = json!(genre);
                let mut genres = known.as_array().unwrap().clone();
                if *change_type == "REMOVE" {
                    genres.retain(|one| *one != genre);
                } else if !genres.contains(&genre) {
                    genres.push(genre);
                }
                Value::Array(genres)
            }
        }
    }
}

fn replaced(text: &Value, find: &str, replacement: &str) -> Value {
    json!(text.as_str().unwrap().replace(find, replacement))
}

pub(super) fn each_link(links: &Value, change: impl FnMut(&mut Value)) -> Value {
    let mut links = links.clone();
    links.as_array_mut().unwrap().iter_mut().for_each(change);
    links
}

pub(super) type Values = BTreeMap<&'static str, Value>;

pub(super) struct Film {
    pub(super) values: Values,
    pub(super) views: i64,
    pub(super) is_in_trash: bool,
    /// Its values after each change, oldest first.
    pub(super) versions: Vec<Values>,
    /// The operation that changed it last; `None` for an edit of the single film.
    pub(super) last: Option<i64>,
}

/// The effect of an operation.
#[derive(Clone)]
pub(super) enum Done {
    /// The film, the field, its value before and after.
    Set(Vec<(i64, &'static str, Value, Value)>),
    Deleted(Vec<i64>),
    Restored(Vec<i64>),
}

impl Done {
    pub(super) fn is_nothing(&self) -> bool {
        match self {
            Self::Set(changes) => changes.is_empty(),
            Self::Deleted(ids) | Self::Restored(ids) => ids.is_empty(),
        }
    }
}

/// Changed, unchanged, refused, missing.
pub(super) type Counts = [i64; 4];

#[derive(Default)]
pub(super) struct Model {
    pub(super) films: BTreeMap<i64, Film>,
    pub(super) operations: BTreeMap<i64, Done>,
    /// Operations with an undo that changed something.
    pub(super) undone: Vec<i64>,
    /// Reports, and the films that they are about.
    pub(super) reports: Vec<(i64, i64)>,
    pub(super) steps: Steps,
}

impl Model {
    pub(super) fn note(&mut self, step: String) {
        self.steps.lines.push(step);
    }

    pub(super) fn write(&mut self, id: i64, values: Values, by: Option<i64>) {
        let film = self.films.get_mut(&id).unwrap();
        film.last = by;
        film.values = values.clone();
        film.versions.push(values);
    }

    pub(super) fn set(&mut self, ids: &[i64], change: &Change, by: i64) -> (Done, Counts) {
        let field = change.field();
        let mut counts = [0; 4];
        let mut changes = Vec::new();
        for id in ids {
            let film = &self.films[id];
            let known = film.values[field].clone();
            let after = change.applied(&known);
            if film.is_in_trash {
                counts[3] += 1;
            } else if known == after {
                counts[1] += 1;
            } else {
                counts[0] += 1;
                let mut values = film.values.clone();
                values.insert(field, after.clone());
                self.write(*id, values, Some(by));
                changes.push((*id, field, known, after));
            }
        }
        (Done::Set(changes), counts)
    }

    pub(super) fn put(&mut self, id: i64, to_trash: bool, by: Option<i64>) {
        let film = self.films.get_mut(&id).unwrap();
        (film.is_in_trash, film.last) = (to_trash, by);
    }

    /// Whether another film that is not in the trash has the natural key of this one. Films that
    /// the undo `except` restored existed beside it before and do not count.
    pub(super) fn is_key_in_use(&self, id: i64, except: Option<i64>) -> bool {
        let title = &self.films[&id].values["title"];
        self.films.iter().any(|(other, film)| {
            let counts = except.is_none() || film.last != except;
            *other != id && !film.is_in_trash && counts && film.values["title"] == *title
        })
    }

    /// Moves films to the trash or out of it; those that are already there are missing, and those
    /// whose natural key is in use stay there. If the move undoes an operation, films that were
    /// changed after it stay.
    pub(super) fn moves(
        &mut self,
        ids: &[i64],
        to_trash: bool,
        by: Option<i64>,
        undone: Option<i64>,
    ) -> (Done, Counts) {
        let mut counts = [0; 4];
        let mut moved = Vec::new();
        for id in ids {
            let film = &self.films[id];
            if film.is_in_trash == to_trash {
                counts[3] += 1;
            } else if (undone.is_some() && film.last != undone)
                || (!to_trash && self.is_key_in_use(*id, undone.and(by)))
            {
                counts[2] += 1;
            } else {
                counts[0] += 1;
                self.put(*id, to_trash, by);
                moved.push(*id);
            }
        }
        (if to_trash { Done::Deleted(moved) } else { Done::Restored(moved) }, counts)
    }

    /// The values of a film into which another one is merged. An added link whose id the film has
    /// gets an id from the server, as stored.
    pub(super) fn together(&self, kept: i64, merged: i64, stored: &Values) -> Values {
        let (mut values, others) = (self.films[&kept].values.clone(), &self.films[&merged].values);
        if values["genres"] == json!([]) {
            values.insert("genres", others["genres"].clone());
        }
        let mut links = values["links"].as_array().unwrap().clone();
        for other in others["links"].as_array().unwrap() {
            if links.iter().any(|link| link["url"] == other["url"]) {
                continue;
            }
            let mut added = other.clone();
            if links.iter().any(|link| link["id"] == other["id"]) {
                added["id"] = stored["links"][links.len()]["id"].clone();
                assert!(links.iter().all(|link| link["id"] != added["id"]), "{stored:?}");
            }
            links.push(added);
        }
        values.insert("links", Value::Array(links));
        values
    }

    /// Moves a film to the trash whose views and reports are those of another one from then on.
    pub(super) fn merge(&mut self, kept: i64, merged: i64, values: Values) {
        self.write(kept, values, None);
        self.put(merged, true, None);
        let views = std::mem::take(&mut self.films.get_mut(&merged).unwrap().views);
        self.films.get_mut(&kept).unwrap().views += views;
        for (_, film) in self.reports.iter_mut().filter(|(_, film)| *film == merged) {
            *film = kept;
        }
    }

    pub(super) fn undo(&mut self, undone_id: i64, by: i64) -> (Done, Counts) {
        let changes = match self.operations[&undone_id].clone() {
            Done::Deleted(ids) => return self.moves(&ids, false, Some(by), Some(undone_id)),
            Done::Restored(ids) => return self.moves(&ids, true, Some(by), Some(undone_id)),
            Done::Set(changes) => changes,
        };
        let mut counts = [0; 4];
        let mut undone = Vec::new();
        for (id, field, before, after) in changes {
            let film = &self.films[&id];
            let known = &film.values[field];
            if film.is_in_trash {
                counts[3] += 1;
            } else if *known == after {
                counts[0] += 1;
                let mut values = film.values.clone();
                values.insert(field, before.clone());
                self.write(id, values, Some(by));
                undone.push((id, field, after, before));
            } else if *known == before {
                counts[1] += 1;
            } else {
                counts[2] += 1;
            }
        }
        (Done::Set(undone), counts)
    }
}
