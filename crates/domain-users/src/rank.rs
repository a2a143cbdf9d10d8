//! Who may manage whom (docs/spec/access.md#rank). Ownership (an agent's subtree) is a filter of the
//! store and was checked before: whom nobody sees, nobody manages.

use domain_kernel::{Actor, Enumeration, Integrator, RoleCode, Username};

/// Where a role stands. Equals may manage each other, but never those above.
pub const fn rank(role: RoleCode) -> u8 {
    match role {
        RoleCode::Superadmin => 4,
        RoleCode::Admin => 3,
        RoleCode::Agent | RoleCode::ContentManager => 2,
        RoleCode::App => 1,
    }
}

/// Whether a role manages users of another at all: superadmins everybody, admins all but superadmins, agents agents
/// and subscribers. Content managers and subscribers manage nobody.
pub const fn manages(role: RoleCode, other: RoleCode) -> bool {
    match role {
        RoleCode::Superadmin => true,
        RoleCode::Admin => rank(other) <= rank(RoleCode::Admin),
        RoleCode::Agent => matches!(other, RoleCode::Agent | RoleCode::App),
        RoleCode::ContentManager | RoleCode::App => false,
    }
}

/// Whether the actor may change what the other one is and has. Nobody toggles, credits, promotes or deletes
/// themselves.
pub fn may_manage(actor: &Actor, other: &Username, role: RoleCode) -> bool {
    actor.username != *other && manages(actor.role, role)
}

/// Whether the actor may set the password of the other one: admins that of everybody whom they manage, agents that of app
/// users. Whoever knows the password of an agent could sell its stock, so agents don't set those of other agents. One's
/// own takes the current password.
pub fn may_reset_password(actor: &Actor, other: &Username, role: RoleCode) -> bool {
    may_manage(actor, other, role) && (actor.role.passes_every_check() || role == RoleCode::App)
}

/// The roles that an actor of this role may give to others, the most frequent first.
pub fn assignable(role: RoleCode) -> Vec<RoleCode> {
    RoleCode::ALL.iter().rev().copied().filter(|other| manages(role, *other)).collect()
}

/// Whose users an actor gets to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everybody's.
    Everyone,
    /// Those whom this agent registered, and those whom they registered. Never the agent itself.
    SubtreeOf(Username),
    /// Nobody's.
    Nobody,
}

impl Scope {
    /// What the actor gets to see. Every query for users and movements needs one, and gets it here or from
    /// [`Scope::of_program`].
    pub fn of(actor: &Actor) -> Self {
        match actor.role {
            RoleCode::Superadmin | RoleCode::Admin => Self::Everyone,
            RoleCode::Agent => Self::SubtreeOf(actor.username.clone()),
            RoleCode::ContentManager | RoleCode::App => Self::Nobody,
        }
    }

    /// What a program gets to see: subscribers are everybody's, whoever registered them. What it may read about them is
    /// a matter of its key's scopes.
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
    fn nobody_manages_themselves_in_any_spelling() {
        let me = Username::parse("ME_1").unwrap();
        assert!(RoleCode::ALL.iter().all(|role| !may_manage(&actor(*role), &me, *role)));
    }
}
