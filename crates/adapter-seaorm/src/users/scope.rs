//! Conditions: the scope of all queries of users and movements, and the sessions of a user.

use domain_kernel::Username;
use domain_users::Scope;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait, sea_query::Expr};

use crate::{
    db::sql::Sql,
    entities::{
        sessions,
        users::{Column, Entity},
    },
};

/// The condition that a session belongs to a user.
pub(crate) fn is_session_of(username: &Username) -> Expr {
    let id = Entity::find().select_only().column(Column::Id).filter(Column::UsernameKey.eq(username.key()));
    sessions::Column::UserId.in_subquery(id.into_query())
}

/// A condition on the user `m`: within the scope. A subtree is a range of lineages; the agent's own
/// lineage is outside.
pub(crate) fn push_scope(sql: &mut Sql, scope: &Scope) {
    match scope {
        Scope::Everyone => {
            sql.push("1 = 1");
        }
        Scope::Nobody => {
            sql.push("1 = 0");
        }
        Scope::SubtreeOf(agent) => {
            // '0' is the successor of '/'.
            sql.push("(m.lineage >= (SELECT a.lineage || a.id || '/' FROM users a WHERE a.username_key = ");
            sql.bind(agent.key());
            sql.push(
                ") AND m.lineage < (SELECT a.lineage || a.id || '0' FROM users a WHERE a.username_key = ",
            );
            sql.bind(agent.key()).push("))");
        }
    }
}
