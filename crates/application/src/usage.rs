//! References to a category or a guide, and their move to another one.

use domain_catalogue::{Content, Kind};
use domain_kernel::{Action, Actor, Code, Enumeration, Id, Violation, Violations};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ContentService, Error};

/// Number of references to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Usage {
    /// Total.
    pub total: u64,
    /// By kind, without empty kinds.
    pub kinds: Vec<KindUsage>,
}

/// Number of references from one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct KindUsage {
    /// Name of the kind in paths; of a category also `playlist-sources`.
    pub kind: String,
    /// Number of items.
    pub count: u64,
}

/// Target of a move of content.
#[derive(Debug, Clone, Deserialize, Serialize, schemars::JsonSchema)]
pub struct MoveTarget {
    /// The id of the other item.
    #[schemars(range(min = 1))]
    pub to: Id,
}

impl<C: Content> ContentService<C> {
    /// References to an item.
    pub async fn usage(&self, actor: &Actor, id: Id) -> Result<Usage, Error> {
        actor.require(C::KIND.permission(Action::Read))?;
        Ok(usage(&self.users_of(id).await?))
    }

    /// The kinds of content that refer to an item, and the other item of the same type that they are
    /// to refer to. Requires the permission to change each of these kinds of content.
    pub(crate) async fn moves_to(
        &self,
        actor: &Actor,
        id: Id,
        json: &Value,
    ) -> Result<(Vec<Kind>, Id), Error> {
        let users = self.users_of(id).await?;
        // Playlist sources are updated like the channels created from them.
        let kinds: Vec<Kind> = users.iter().filter_map(|(path, _)| Kind::from_path(path)).collect();
        for kind in &kinds {
            actor.require(kind.permission(Action::Update))?;
        }
        let target = read_target(json)?;
        self.check_target(id, target).await?;
        Ok((kinds, target))
    }

    async fn users_of(&self, id: Id) -> Result<ports::Usage, Error> {
        self.repository.usage(id).await?.ok_or(Error::Missing { kind: C::KIND, id })
    }

    /// Requires another existing item of the same type.
    pub(crate) async fn check_target(&self, id: Id, target: Id) -> Result<(), Error> {
        let fault = |violation| Err(Violations(vec![violation]).into());
        if target == id || !self.references.exists(C::KIND, target).await? {
            return fault(Violation::new("to", Code::UnknownReference));
        }
        if C::KIND != Kind::Categories {
            return Ok(());
        }
        let expected = self.references.category_type(id).await?;
        if self.references.category_type(target).await? == expected {
            return Ok(());
        }
        let violation = Violation::new("to", Code::WrongCategoryType);
        fault(match expected {
            Some(expected) => violation.with("expected", expected.code()),
            None => violation,
        })
    }
}

fn usage(users: &[(&'static str, u64)]) -> Usage {
    Usage {
        total: users.iter().map(|(_, count)| count).sum(),
        kinds: users
            .iter()
            .map(|(path, count)| KindUsage { kind: (*path).to_owned(), count: *count })
            .collect(),
    }
}

fn read_target(json: &Value) -> Result<Id, Error> {
    let violation = match json.get("to") {
        None | Some(Value::Null) => Violation::new("to", Code::Required),
        Some(to) => match to.as_i64() {
            Some(to) if to > 0 => return Ok(to),
            _ => Violation::new("to", Code::WrongType).with("expected", "integer"),
        },
    };
    Err(Violations(vec![violation]).into())
}
