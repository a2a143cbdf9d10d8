//! The one filter through which every query for users and movements passes.

use domain_users::Scope;

use crate::db::sql::Sql;

/// A condition on the user `m`: within the scope. A subtree is a range of lineages; the agent's own lineage is outside.
pub(crate) fn push_scope(sql: &mut Sql, scope: &Scope) {
    match scope {
        Scope::Everyone => {
            sql.push("1 = 1");
        }
        Scope::Nobody => {
            sql.push("1 = 0");
        }
        Scope::SubtreeOf(agent) => {
            // '0' follows '/'.
            sql.push("(m.lineage >= (SELECT a.lineage || a.id || '/' FROM users a WHERE a.username_key = ");
            sql.bind(agent.key());
            sql.push(
                ") AND m.lineage < (SELECT a.lineage || a.id || '0' FROM users a WHERE a.username_key = ",
            );
            sql.bind(agent.key()).push("))");
        }
    }
}
