//! Rules of managing users by rank (docs/spec/access.md#rank). Ownership (an agent's subtree) is a filter of
//! the store and is checked before.

use domain_kernel::{Actor, Enumeration, Integrator, RoleCode, Username};

/// Rank of a role. Users can manage those of equal or lower rank.
pub const fn rank(role: RoleCode) -> u8 {
    match role {
        RoleCode::Superadmin => 4,
        RoleCode::Admin => 3,
        RoleCode::Agent | RoleCode::ContentManager => 2,
        RoleCode::App => 1,
    }
}

/// Whether a role manages users of another one: superadmins all, admins all but superadmins, agents agents
/// and subscribers, content managers and subscribers none.
pub const fn manages(role: RoleCode, other: RoleCode) -> bool {
    match role {
        RoleCode::Superadmin => true,
        RoleCode::Admin => rank(other) <= rank(RoleCode::Admin),
        RoleCode::Agent => matches!(other, RoleCode::Agent | RoleCode::App),
        RoleCode::ContentManager | RoleCode::App => false,
    }
}

/// Whether the actor can change the account of the other user. Users can't activate, credit, promote or
/// delete themselves.
pub fn may_manage(actor: &Actor, other: &Username, role: RoleCode) -> bool {
    actor.username != *other && manages(actor.role, role)
}

/// Whether the actor can set the password of the other user: admins of all users whom they manage, agents of
/// app users. An agent's password would allow selling its stock, so agents don't set those of other agents. A
/// change of one's own needs the current password.
pub fn may_reset_password(actor: &Actor, other: &Username, role: RoleCode) -> bool {
    may_manage(actor, other, role) && (actor.role.passes_every_check() || role == RoleCode::App)
}

/// Roles that an actor of this role can assign, the most frequent first.
pub fn assignable(role: RoleCode) -> Vec<RoleCode> {
    RoleCode::ALL.iter().rev().copied().filter(|other| manages(role, *other)).collect()
}

/// Users visible to an actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All users.
    Everyone,
    /// Users registered by this agent, and users registered by those. Without the agent itself.
    SubtreeOf(Username),
    /// No users.
    Nobody,
}

impl Scope {
    /// Scope of an actor. Every query for users and movements needs one, from here or from
    /// [`Scope::of_program`].
    pub fn of(actor: &Actor) -> Self {
        match actor.role {
            RoleCode::Superadmin | RoleCode::Admin => Self::Everyone,
            RoleCode::Agent => Self::SubtreeOf(actor.username.clone()),
            RoleCode::ContentManager | RoleCode::App => Self::Nobody,
        }
    }

    /// Scope of an API key: all subscribers of all registrars. The key's scopes restrict what it can
    /// read of them.
    pub const fn of_program(_: &Integrator) -> Self {
        Self::Everyone
    }
}

#[cfg(test)]
mod tests {
    use domain_kernel::Origin;

    use super::*;
    use crate::permissions_of;

    fn actor(role: RoleCode) -> Actor {
        Actor {
            username: Username::parse("me_1").unwrap(),
            role,
            permissions: permissions_of(role),
            origin: Origin::SERVER,
        }
    }

    #[test]
    fn each_role_manages_the_roles_of_the_specification() {
        use RoleCode::{Admin, Agent, App, ContentManager, Superadmin};
        for (role, managed) in [
            (Superadmin, vec![App, ContentManager, Agent, Admin, Superadmin]),
            (Admin, vec![App, ContentManager, Agent, Admin]),
            (Agent, vec![App, Agent]),
            (ContentManager, vec![]),
            (App, vec![]),
        ] {
            assert_eq!(assignable(role), managed, "{role:?}");
            let other = Username::parse("other").unwrap();
            for target in RoleCode::ALL {
                assert_eq!(may_manage(&actor(role), &other, *target), managed.contains(target));
            }
        }
    }

    #[test]
    fn agents_reset_passwords_of_app_users_and_admins_of_all_whom_they_manage() {
        use RoleCode::{Admin, Agent, App, ContentManager, Superadmin};
        let (me, other) = (Username::parse("ME_1").unwrap(), Username::parse("other").unwrap());
        for (role, allowed) in [
            (Superadmin, vec![App, ContentManager, Agent, Admin, Superadmin]),
            (Admin, vec![App, ContentManager, Agent, Admin]),
            (Agent, vec![App]),
            (ContentManager, vec![]),
            (App, vec![]),
        ] {
            for target in RoleCode::ALL {
                let may = may_reset_password(&actor(role), &other, *target);
                assert_eq!(may, allowed.contains(target), "{role:?} {target:?}");
                assert!(!may_reset_password(&actor(role), &me, *target), "{role:?} own");
            }
        }
    }

    #[test]
    fn users_can_not_manage_themselves_in_any_spelling() {
        let me = Username::parse("ME_1").unwrap();
        assert!(RoleCode::ALL.iter().all(|role| !may_manage(&actor(*role), &me, *role)));
    }
}
