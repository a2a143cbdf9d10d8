//! What refers to a category or a guide, and moving it to another.

use domain_catalogue::{Content, Kind};
use domain_kernel::{Action, Actor, Code, Enumeration, Id, Violation, Violations};
use ports::StoreError;
use serde::{Deserialize, Serialize};

use crate::{ContentService, Error, body::parse};

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

/// Where content is moved to.
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
    /// to refer to. Requires the permission to change each of these kinds.
    pub(crate) async fn moves_to(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
    ) -> Result<(Vec<Kind>, Id), Error> {
        actor.require(C::KIND.permission(Action::Update))?;
        let users = self.users_of(id).await?;
        // Playlist sources are updated like the channels created from them.
        let kinds: Vec<Kind> = users.iter().filter_map(|(path, _)| Kind::from_path(path)).collect();
        for kind in &kinds {
            actor.require(kind.permission(Action::Update))?;
        }
        let target = read_target(body)?;
        self.check_target(id, target).await?;
        Ok((kinds, target))
    }

    /// Makes what is not content refer to another item; returns the number of playlist sources.
    pub(crate) async fn move_outside(&self, actor: &Actor, id: Id, target: Id) -> Result<u64, Error> {
        let outcome = self.repository.move_outside_references(id, target, self.edit_by(actor)).await;
        if let Err(StoreError::Dangling(_)) = outcome {
            self.check_target(id, target).await?;
        }
        Ok(outcome?)
    }

    async fn users_of(&self, id: Id) -> Result<ports::Usage, Error> {
        self.repository.usage(id).await?.ok_or(Error::Missing { kind: C::KIND, id })
    }

    async fn check_target(&self, id: Id, target: Id) -> Result<(), Error> {
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

fn read_target(body: &[u8]) -> Result<Id, Error> {
    let json = parse(body)?;
    let violation = match json.get("to") {
        None | Some(serde_json::Value::Null) => Violation::new("to", Code::Required),
        Some(to) => match to.as_i64() {
            Some(to) if to > 0 => return Ok(to),
            _ => Violation::new("to", Code::WrongType).with("expected", "integer"),
        },
    };
    Err(Violations(vec![violation]).into())
}
