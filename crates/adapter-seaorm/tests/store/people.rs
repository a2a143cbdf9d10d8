//! Users as staff keep them: whom an agent sees, lists and searches, registering, changing, removing.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use adapter_seaorm::{SeaOrmPeople, SeaOrmSessions, SeaOrmUsers};
use chrono::{DateTime, Utc};
use domain_credits::OperationType::{AddCredits, AddCreditsForSale};
use domain_kernel::{Enumeration, Filter, FilterValue, ListQuery, RoleCode, Sort};
use domain_users::{ExpiryFilter, Person, Scope, UserStatus};
use futures_util::future::join_all;
use ports::{
    NewSession, PeopleRepository, PersonRemoved, PersonWritten, Registered, Registration, SessionRepository,
    UserRepository,
};
use sea_orm::DbBackend;
use tokio::{runtime::Handle, task::block_in_place};

use crate::{
    support::{Rng, TestDb, after, on_both, open_session, start},
    users::{ROOT, TestUsers, change, everything, name, once, order, registration, subtree},
};

const SORTS: [&str; 11] = [
    "id",
    "username",
    "fullName",
    "role",
    "credits",
    "saleCredits",
    "expirationDate",
    "signIns",
    "status",
    "createdDate",
    "updatedDate",
];

/// The agents ana_1 > eva_1 > leo_1, each with an app user, and a rival with one of its own.
async fn families(db: &TestDb) -> TestUsers {
    let fixture = TestUsers::of(db).await;
    for (parent, username, role) in [
        (ROOT, "ana_1", RoleCode::Agent),
        ("ana_1", "ana_app", RoleCode::App),
        ("ana_1", "eva_1", RoleCode::Agent),
        ("eva_1", "eva_app", RoleCode::App),
        ("eva_1", "leo_1", RoleCode::Agent),
        ("leo_1", "leo_app", RoleCode::App),
        (ROOT, "rival_1", RoleCode::Agent),
        ("rival_1", "rival_app", RoleCode::App),
    ] {
        fixture.add(parent, username, role).await;
    }
    fixture
}

/// As many people of all sorts beneath the root.
async fn crowd(db: &TestDb, people: u64) -> TestUsers {
    let fixture = TestUsers::of(db).await;
    let mut rng = Rng(7);
    let first = ["Ana", "Álvaro", "Zoe", "Ñuño", "ana", "Eva", "Óscar", "_x_", "100% %", "Bo"];
    for number in 0..people {
        let role = RoleCode::ALL[usize::try_from(rng.roll(5)).unwrap()];
        let status = UserStatus::ALL[usize::try_from(rng.roll(3)).unwrap()];
        let full_name = format!("{} {}", first[usize::try_from(rng.roll(10)).unwrap()], rng.roll(4));
        let username =
            format!("{}_{number}", ["p", "Q", "Z"][usize::try_from(rng.roll(3)).unwrap()].repeat(3));
        let person = Registration { full_name, status, ..registration(&username, role) };
        fixture.register(ROOT, &person).await;
        if rng.roll(3) > 0 {
            let date = after(i64::try_from(rng.roll(40)).unwrap() * 60 * 24 - 10 * 60 * 24);
            fixture.expire(&username, Some(date)).await;
        }
        let amount = i64::try_from(rng.roll(3)).unwrap();
        if amount > 0 && role == RoleCode::Agent {
            fixture.stock(&username, amount).await;
        }
    }
    fixture
}

async fn names(
    fixture: &TestUsers,
    scope: &Scope,
    query: &ListQuery,
    deadline: Option<ExpiryFilter>,
) -> Vec<String> {
    let page = fixture.people.list(scope, query, deadline).await.unwrap();
    page.content.iter().map(|person| person.username.to_string()).collect()
}

async fn found(fixture: &TestUsers, search: &str) -> BTreeSet<String> {
    let query = ListQuery { search: Some(search.into()), size: 1000, ..ListQuery::default() };
    let page = fixture.people.list(&Scope::Everyone, &query, None).await.unwrap();
    assert_eq!(page.total_elements, page.content.len() as u64, "{search}");
    page.content.iter().map(|person| person.username.to_string()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn by(field: &str, descending: bool) -> ListQuery {
    ListQuery { size: 1000, sort: vec![Sort { field: field.into(), descending }], ..ListQuery::default() }
}

/// What the list is ordered by, as text that sorts alike.
fn key(person: &Person, field: &str) -> String {
    let moment = |date: DateTime<Utc>| date.to_rfc3339_opts(chrono::SecondsFormat::Micros, true);
    match field {
        "username" => person.username.key(),
        "fullName" => domain_kernel::order_key(&person.full_name),
        "role" => person.role.code().into(),
        "credits" => format!("{:020}", person.credits),
        "saleCredits" => format!("{:020}", person.sale_credits),
        "expirationDate" => person.expiration_date.map_or_else(|| "~".into(), moment),
        "signIns" => format!("{:020}", person.sign_ins),
        "status" => person.status.code().into(),
        "createdDate" => moment(person.created_date),
        "updatedDate" => moment(person.updated_date),
        _ => String::new(),
    }
}

on_both! {
    async fn an_agent_sees_its_subtree_at_any_depth_and_nobody_else(db: &TestDb) {
        let fixture = families(db).await;
        for (agent, people) in [
            ("ana_1", vec!["ana_app", "eva_1", "eva_app", "leo_1", "leo_app"]),
            ("eva_1", vec!["eva_app", "leo_1", "leo_app"]),
            ("leo_1", vec!["leo_app"]),
            ("rival_1", vec!["rival_app"]),
            ("RIVAL_1", vec!["rival_app"]),
            ("nobody", vec![]),
        ] {
            let scope = subtree(agent);
            assert_eq!(names(&fixture, &scope, &by("id", false), None).await, people, "{agent}");
            let total = fixture.people.list(&scope, &ListQuery::default(), None).await.unwrap().total_elements;
            assert_eq!(total, people.len() as u64);
            for other in ["Root_1", "ana_1", "ana_app", "eva_1", "eva_app", "leo_1", "leo_app", "rival_1", "rival_app"] {
                let sees = people.contains(&other) || agent.eq_ignore_ascii_case(other);
                assert_eq!(fixture.people.find(&scope, &name(other)).await.unwrap().is_some(), sees, "{agent} {other}");
            }
        }
        assert_eq!(names(&fixture, &Scope::Everyone, &by("id", false), None).await.len(), 9);
        assert!(names(&fixture, &Scope::Nobody, &by("id", false), None).await.is_empty());
        assert_eq!(fixture.people.find(&Scope::Nobody, &name("ana_1")).await.unwrap(), None);
    }

    async fn filters_and_searches_stay_within_the_scope(db: &TestDb) {
        let fixture = families(db).await;
        let scope = subtree("ana_1");
        let filtered = |field: &str, code: &'static str| ListQuery {
            filters: vec![Filter { field: field.into(), value: FilterValue::Code(code) }],
            ..by("id", false)
        };
        assert_eq!(names(&fixture, &scope, &filtered("roleCode", "agent"), None).await, ["eva_1", "leo_1"]);
        assert!(names(&fixture, &scope, &filtered("roleCode", "admin"), None).await.is_empty());
        assert_eq!(names(&fixture, &scope, &filtered("status", "ACTIVE"), None).await.len(), 5);
        let search = |text: &str| ListQuery { search: Some(text.into()), ..by("id", false) };
        assert_eq!(names(&fixture, &scope, &search("app"), None).await, ["ana_app", "eva_app", "leo_app"]);
        assert!(names(&fixture, &scope, &search("rival"), None).await.is_empty());
        assert!(names(&fixture, &scope, &search("iv"), None).await.is_empty());
    }

    async fn people_are_found_by_phone_and_email_too(db: &TestDb) {
        let fixture = families(db).await;
        fixture
            .edit("eva_app", |change| {
                change.email = "Compras@Tienda.example".into();
                change.phone_number = "+34 612-345-678".into();
            })
            .await;
        let search = |text: &str| ListQuery { search: Some(text.into()), ..by("id", false) };
        for text in ["compras@tienda", "612345678", "612-345", "+34 612", "45678"] {
            assert_eq!(names(&fixture, &Scope::Everyone, &search(text), None).await, ["eva_app"], "{text}");
            assert_eq!(names(&fixture, &subtree("eva_1"), &search(text), None).await, ["eva_app"], "{text}");
            assert!(names(&fixture, &subtree("rival_1"), &search(text), None).await.is_empty(), "{text}");
        }
    }

    async fn every_order_works_both_ways_and_those_who_never_expire_come_last(db: &TestDb) {
        let fixture = crowd(db, 60).await;
        let everybody = fixture.people.list(&Scope::Everyone, &by("id", false), None).await.unwrap().content;
        assert_eq!(everybody.len(), 61);
        let place = |person: &Person| everybody.iter().position(|one| one == person).unwrap();
        for field in SORTS {
            let mut expected = everybody.clone();
            expected.sort_by_key(|person| (key(person, field), place(person)));
            let up = fixture.people.list(&Scope::Everyone, &by(field, false), None).await.unwrap().content;
            let down = fixture.people.list(&Scope::Everyone, &by(field, true), None).await.unwrap().content;
            assert_eq!(up, expected, "{field}");
            expected.reverse();
            assert_eq!(down, expected, "{field} descending");
        }
        let up = fixture.people.list(&Scope::Everyone, &by("expirationDate", false), None).await.unwrap().content;
        let never = up.iter().position(|person| person.expiration_date.is_none()).unwrap();
        assert!(never > 10 && up[never..].iter().all(|person| person.expiration_date.is_none()));
    }

    async fn pages_hold_everybody_once(db: &TestDb) {
        let fixture = crowd(db, 43).await;
        for field in ["role", "expirationDate", "fullName"] {
            for descending in [false, true] {
                let whole = by(field, descending);
                let expected = names(&fixture, &Scope::Everyone, &whole, None).await;
                let mut seen = Vec::new();
                for page in 0..8 {
                    let query = ListQuery { page, size: 7, ..whole.clone() };
                    let page = fixture.people.list(&Scope::Everyone, &query, None).await.unwrap();
                    assert_eq!((page.total_elements, page.total_pages), (44, 7));
                    seen.extend(page.content.iter().map(|person| person.username.to_string()));
                }
                assert_eq!(seen, expected, "{field}");
            }
        }
    }

    async fn filters_and_totals_agree_with_the_people(db: &TestDb) {
        let fixture = crowd(db, 50).await;
        let everybody = fixture.people.list(&Scope::Everyone, &by("id", false), None).await.unwrap().content;
        for role in RoleCode::ALL {
            for status in UserStatus::ALL {
                let filters = vec![
                    Filter { field: "roleCode".into(), value: FilterValue::Code(role.code()) },
                    Filter { field: "status".into(), value: FilterValue::Code(status.code()) },
                ];
                let query = ListQuery { filters, ..by("id", false) };
                let page = fixture.people.list(&Scope::Everyone, &query, None).await.unwrap();
                let expected: Vec<Person> =
                    everybody.iter().filter(|one| one.role == *role && one.status == *status).cloned().collect();
                assert_eq!((page.total_elements, &page.content), (expected.len() as u64, &expected));
            }
        }
    }

    async fn deadlines_select_whom_they_hold_of(db: &TestDb) {
        let fixture = crowd(db, 60).await;
        let everybody = fixture.people.list(&Scope::Everyone, &by("id", false), None).await.unwrap().content;
        let app = everybody.iter().find(|one| one.role == RoleCode::App).unwrap().username.to_string();
        let month_end = "2026-12-01T00:00:00Z".parse().unwrap();
        let deadlines =
            [ExpiryFilter::Expired { now: start() }, ExpiryFilter::AboutToExpire { now: start(), month_end }];
        // The very moments where one rule ends and the other begins.
        let edges = [start(), start() - chrono::TimeDelta::milliseconds(1), month_end, month_end - chrono::TimeDelta::milliseconds(1)];
        for edge in [None].into_iter().chain(edges.map(Some)) {
            fixture.expire(&app, edge).await;
            let everybody = fixture.people.list(&Scope::Everyone, &by("id", false), None).await.unwrap().content;
            for deadline in deadlines {
                let expected: Vec<Person> =
                    everybody.iter().filter(|one| deadline.holds(one.role, one.expiration_date)).cloned().collect();
                for size in [1000, 3] {
                    let query = ListQuery { size, ..by("id", false) };
                    let page = fixture.people.list(&Scope::Everyone, &query, Some(deadline)).await.unwrap();
                    assert_eq!(page.total_elements, expected.len() as u64, "{deadline:?} {edge:?}");
                    assert_eq!(page.content, expected[..expected.len().min(size as usize)]);
                }
                assert!(names(&fixture, &subtree(&app), &by("id", false), Some(deadline)).await.is_empty());
            }
        }
    }

    async fn the_search_ignores_accents_and_case_and_takes_every_character_as_it_is(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        for (username, full_name) in [
            ("one_1", "Corazón Núñez"),
            ("two_2", "100% seguro"),
            ("three3", "O'Neill \"Neo\""),
            ("four_4", r"back\slash"),
            ("fives", "Zoë"),
        ] {
            let full_name = full_name.to_owned();
            fixture.register(ROOT, &Registration { full_name, ..registration(username, RoleCode::App) }).await;
        }
        for (search, expected) in [
            ("corazon", set(&["one_1"])),
            ("CORAZÓN nu", set(&["one_1"])),
            ("nunez", set(&["one_1"])),
            ("%", set(&["two_2"])),
            ("0%", set(&["two_2"])),
            ("_", set(&["Root_1", "one_1", "two_2", "four_4"])),
            ("_4", set(&["four_4"])),
            ("'", set(&["three3"])),
            ("o'n", set(&["three3"])),
            ("\"", set(&["three3"])),
            ("\"neo\"", set(&["three3"])),
            (r"\", set(&["four_4"])),
            (r"k\s", set(&["four_4"])),
            ("zo", set(&["fives", "one_1"])),
            ("z", set(&["Root_1", "fives", "one_1"])),
            ("zoe", set(&["fives"])),
            ("neo OR two", set(&[])),
            ("two*", set(&[])),
            ("nobody", set(&[])),
            ("superadmin", set(&["Root_1"])),
            ("raiz", set(&["Root_1"])),
        ] {
            assert_eq!(found(&fixture, search).await, expected, "{search}");
        }
        assert_eq!(found(&fixture, "usuario").await.len(), 5, "roles are found by the name people read");
        assert_eq!(found(&fixture, "   ").await.len(), 6, "blank is no search");
        fixture.edit("one_1", |change| change.full_name = "Otro Nombre".into()).await;
        assert_eq!(found(&fixture, "corazon").await, set(&[]));
        assert_eq!(found(&fixture, "otro").await, set(&["one_1"]));
    }

    async fn somebody_is_registered_beneath_whoever_does_it(db: &TestDb) {
        let fixture = families(db).await;
        let person = fixture.person("leo_app").await;
        assert_eq!(person.registered_by, Some(name("leo_1")));
        assert_eq!((person.credits, person.sale_credits, person.expiration_date), (0, 0, None));
        assert_eq!((person.version, person.created_date, person.updated_date), (1, start(), start()));
        assert_eq!(fixture.person(ROOT).await.registered_by, None);
        let lineages = db.rows("SELECT id, lineage FROM users ORDER BY id").await;
        let lineage = |index: usize| lineages[index].try_get::<String>("", "lineage").unwrap();
        let id = |index: usize| lineages[index].try_get::<i64>("", "id").unwrap();
        assert_eq!(lineage(0), "/");
        assert_eq!(lineage(6), format!("/{}/{}/{}/{}/", id(0), id(1), id(3), id(5)));
    }

    async fn a_name_is_taken_in_every_spelling(db: &TestDb) {
        let fixture = families(db).await;
        let before = everything(db).await;
        for spelling in ["ana_1", "ANA_1", "aNa_1"] {
            let registration = registration(spelling, RoleCode::App);
            let outcome = fixture.people.register(&registration, &name(ROOT), start(), None).await.unwrap();
            assert_eq!(outcome, Registered::UsernameTaken);
        }
        assert_eq!(everything(db).await, before);
    }

    async fn the_same_registration_again_is_answered_as_the_first_time(db: &TestDb) {
        let fixture = families(db).await;
        let new = registration("New_1", RoleCode::Agent);
        let ask = |fingerprint: &'static str, minutes| {
            // Each time the password has another salt; the first hash is kept with the key.
            let (fixture, new) = (fixture.clone(), Registration { password_hash: Some(format!("h{minutes}")), ..new.clone() });
            async move {
                let once = Some(once("ana_1", "k", fingerprint));
                fixture.people.register(&new, &name("ana_1"), after(minutes), once).await.unwrap()
            }
        };
        let Registered::New(first) = ask("f", 0).await else { panic!("it is the first") };
        assert_eq!(ask("f", 1).await, Registered::Replayed(first.clone(), Some("h0".into())));
        assert_eq!(ask("other", 1).await, Registered::KeyReused);
        // Whatever became of them since.
        fixture.stock("New_1", 5).await;
        fixture.edit("New_1", |change| {
            change.full_name = "Otro".into();
            change.status = UserStatus::Suspended;
            change.expiration_date = Some(after(9));
        })
        .await;
        assert_eq!(ask("f", 2).await, Registered::Replayed(first, Some("h0".into())));
        assert_eq!(db.number("SELECT count(*) AS number FROM users WHERE username_key = 'new_1'").await, 1);
    }

    async fn a_registration_is_answered_again_when_they_are_gone(db: &TestDb) {
        let fixture = families(db).await;
        let new = registration("New_1", RoleCode::App);
        let ask = async || fixture.people.register(&new, &name(ROOT), start(), Some(once(ROOT, "k", "f"))).await;
        let Registered::New(first) = ask().await.unwrap() else { panic!("it is the first") };
        fixture.people.remove(&Scope::Everyone, &name("New_1"), 1).await.unwrap();
        assert_eq!(ask().await.unwrap(), Registered::Replayed(first, None));
        assert_eq!(fixture.people.find(&Scope::Everyone, &name("New_1")).await.unwrap(), None);
    }

    async fn of_many_registrations_at_once_one_is_done(db: &TestDb) {
        let fixture = families(db).await;
        let ask = |key: Option<&'static str>, username: String| {
            let fixture = fixture.clone();
            tokio::spawn(async move {
                let once = key.map(|key| once(ROOT, key, "f"));
                fixture.people.register(&registration(&username, RoleCode::App), &name(ROOT), start(), once).await.unwrap()
            })
        };
        let keyed = join_all((0..8).map(|_| ask(Some("k"), "same_1".into()))).await;
        let new = keyed.iter().filter(|one| matches!(one, Ok(Registered::New(_)))).count();
        let again = keyed.iter().filter(|one| matches!(one, Ok(Registered::Replayed(..)))).count();
        assert_eq!((new, again), (1, 7), "{keyed:?}");
        let bare = join_all((0..8).map(|n| ask(None, if n % 2 == 0 { "same_2" } else { "SAME_2" }.into()))).await;
        let new = bare.iter().filter(|one| matches!(one, Ok(Registered::New(_)))).count();
        let taken = bare.iter().filter(|one| matches!(one, Ok(Registered::UsernameTaken))).count();
        assert_eq!((new, taken), (1, 7), "{bare:?}");
    }

    async fn a_registration_that_is_overtaken_by_itself_is_answered_as_the_first_time(db: &TestDb) {
        // On SQLite the second waits for the first before it asks anything.
        if db.database.backend() == DbBackend::Sqlite {
            return;
        }
        async fn ask(people: &SeaOrmPeople) -> Registered {
            let once = Some(once(ROOT, "k", "f"));
            people.register(&registration("same_1", RoleCode::App), &name(ROOT), start(), once).await.unwrap()
        }
        let fixture = families(db).await;
        let first = Arc::new(OnceLock::new());
        let seen = first.clone();
        // The second has just asked for the key when the first is done from its beginning to its end.
        let watched = db.database.clone().watched(move |statement| {
            if statement.sql.contains("FROM idempotency_keys") {
                let now = Handle::current();
                seen.get_or_init(|| block_in_place(|| now.block_on(ask(&fixture.people))));
            }
        });
        let second = ask(&SeaOrmPeople(watched)).await;
        assert!(matches!(first.get(), Some(Registered::New(_))), "{first:?}");
        assert!(matches!(second, Registered::Replayed(..)), "{second:?}");
    }

    async fn a_change_writes_what_it_says_and_nothing_else(db: &TestDb) {
        let fixture = families(db).await;
        fixture.stock("ana_1", 10).await;
        fixture.post("ana_1", AddCredits, "eva_app", 2).await;
        let before = fixture.person("eva_app").await;
        let mut edit = change(&before);
        edit.full_name = "Eva Nueva".into();
        edit.email = "nueva@example.com".into();
        edit.phone_number = "12345678".into();
        edit.address = Some("Calle 1".into());
        edit.comment = Some("dos\nlíneas".into());
        edit.status = UserStatus::Suspended;
        let scope = subtree("ana_1");
        let written = fixture.people.change(&scope, &name("EVA_APP"), &edit, before.version, &name("ana_1"), after(5)).await.unwrap();
        let expected = Person {
            full_name: "Eva Nueva".into(),
            email: "nueva@example.com".into(),
            phone_number: "12345678".into(),
            address: Some("Calle 1".into()),
            comment: Some("dos\nlíneas".into()),
            status: UserStatus::Suspended,
            version: before.version + 1,
            updated_date: after(5),
            ..before.clone()
        };
        assert_eq!(written, PersonWritten::Done(expected.clone()));
        assert_eq!(fixture.person("eva_app").await, expected);
        let outdated = fixture.people.change(&scope, &name("eva_app"), &edit, before.version, &name("ana_1"), after(6)).await.unwrap();
        assert_eq!(outdated, PersonWritten::Outdated(expected));
        let rows = everything(db).await;
        for hidden in ["rival_app", "rival_1", "Root_1", "nobody"] {
            let outcome = fixture.people.change(&scope, &name(hidden), &edit, 1, &name("ana_1"), after(6)).await.unwrap();
            assert_eq!(outcome, PersonWritten::Missing, "{hidden}");
        }
        assert_eq!(everything(db).await, rows);
        assert_eq!(fixture.verified().await, []);
    }

    async fn role_and_status_end_sessions_and_nothing_else_does(db: &TestDb) {
        let fixture = families(db).await;
        let sessions = SeaOrmSessions::new(db.database.clone());
        for (number, (what, ends)) in [
            ("name", false),
            ("expiration", false),
            ("role", true),
            ("back", true),
            ("SUSPENDED", true),
            ("ACTIVE", false),
            ("INACTIVE", true),
        ]
        .into_iter()
        .enumerate()
        {
            let (own, other) = (format!("own {number}"), format!("other {number}"));
            open_session(db, &own, "eva_1").await;
            open_session(db, &other, "ana_1").await;
            fixture.edit("eva_1", |change| match what {
                "name" => change.full_name = "Otra".into(),
                "expiration" => change.expiration_date = Some(after(1)),
                "role" => change.role = RoleCode::ContentManager,
                "back" => change.role = RoleCode::Agent,
                status => change.status = UserStatus::from_code(status).unwrap(),
            })
            .await;
            assert_eq!(sessions.find(&own, start()).await.unwrap().is_none(), ends, "{what}");
            assert!(sessions.find(&other, start()).await.unwrap().is_some(), "{what}");
        }
    }

    async fn a_new_password_ends_all_sessions_and_is_recorded_in_the_same_transaction(db: &TestDb) {
        let fixture = families(db).await;
        let sessions = SeaOrmSessions::new(db.database.clone());
        open_session(db, "own 1", "ana_app").await;
        open_session(db, "own 2", "ana_app").await;
        open_session(db, "other", "ana_1").await;
        db.run("UPDATE users SET password_hash = 'old', default_password = true WHERE username_key = 'ana_app'").await;
        let before = fixture.person("ana_app").await;
        assert_eq!((before.password_changed_date, before.password_changed_by.clone()), (None, None));
        let set = async |scope: &Scope, username: &str, version| {
            fixture.people.set_password(scope, &name(username), "new", version, &name("ana_1"), after(5)).await.unwrap()
        };
        let rows = everything(db).await;
        for hidden in ["rival_app", "Root_1", "nobody"] {
            assert_eq!(set(&subtree("ana_1"), hidden, 1).await, PersonWritten::Missing, "{hidden}");
        }
        let outdated = set(&subtree("ana_1"), "ana_app", before.version + 1).await;
        assert_eq!(outdated, PersonWritten::Outdated(before.clone()));
        assert_eq!(everything(db).await, rows);
        assert_eq!(db.number("SELECT count(*) AS number FROM sessions").await, 3);
        // A node that fails between the hash and the sessions leaves the old password and the sessions.
        let stop = if db.is_sqlite() {
            "CREATE TRIGGER stop BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'stop'); END"
        } else {
            "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stop'; END $$; \
             CREATE TRIGGER stop BEFORE DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION stop()"
        };
        db.run(stop).await;
        let (scope, customer, agent) = (subtree("ana_1"), name("ana_app"), name("ana_1"));
        let failed = fixture.people.set_password(&scope, &customer, "new", before.version, &agent, after(5)).await;
        assert!(failed.is_err());
        assert_eq!(everything(db).await, rows);
        db.run(if db.is_sqlite() { "DROP TRIGGER stop" } else { "DROP TRIGGER stop ON sessions" }).await;
        let PersonWritten::Done(changed) = set(&subtree("ana_1"), "ANA_APP", before.version).await else { panic!() };
        assert_eq!(changed, Person {
            version: before.version + 1,
            updated_date: after(5),
            password_changed_date: Some(after(5)),
            password_changed_by: Some(name("ana_1")),
            ..before
        });
        assert_eq!(fixture.person("ana_app").await, changed);
        let written = "SELECT count(*) AS number FROM users WHERE password_hash = 'new' AND NOT default_password";
        assert_eq!(db.number(written).await, 1);
        for (key, ended) in [("own 1", true), ("own 2", true), ("other", false)] {
            assert_eq!(sessions.find(key, start()).await.unwrap().is_none(), ended, "{key}");
        }
    }

    async fn a_sign_in_with_the_old_password_does_not_survive_a_reset(db: &TestDb) {
        let fixture = families(db).await;
        let sessions = SeaOrmSessions::new(db.database.clone());
        let users = SeaOrmUsers(db.database.clone());
        db.run("UPDATE users SET password_hash = 'old' WHERE username_key = 'ana_app'").await;
        let key = |number: usize| NewSession {
            key_hash: format!("key {number}"),
            created_date: start(),
            ends_date: after(60),
            address: "192.0.2.1".into(),
            device: None,
        };
        // What is being signed in with was checked before the reset, and arrives before, between and after its statements.
        let checked = users.find(&name("ana_app")).await.unwrap().unwrap();
        let signing_in = (0..8).map(|number| {
            let (sessions, checked, session) = (sessions.clone(), checked.clone(), key(number));
            tokio::spawn(async move { sessions.open(&checked, &session).await })
        });
        let signing_in: Vec<_> = signing_in.collect();
        loop {
            // A sign-in does not change the version.
            let version = fixture.person("ana_app").await.version;
            let (customer, root) = (name("ana_app"), name(ROOT));
            let set =
                fixture.people.set_password(&Scope::Everyone, &customer, "new", version, &root, after(1)).await;
            if matches!(set.unwrap(), PersonWritten::Done(_)) {
                break;
            }
        }
        assert!(!sessions.open(&checked, &key(8)).await.unwrap(), "the checked password is not theirs any more");
        for outcome in join_all(signing_in).await {
            outcome.unwrap().unwrap();
        }
        assert_eq!(db.number("SELECT count(*) AS number FROM sessions").await, 0);
    }

    async fn an_expiration_set_by_hand_is_written_down_in_its_place(db: &TestDb) {
        let fixture = families(db).await;
        fixture.expire("ana_app", Some(after(60))).await;
        fixture.post(ROOT, AddCredits, "ana_app", 1).await;
        fixture.expire("ana_app", None).await;
        fixture.edit("ana_app", |change| change.full_name = "No la mueve".into()).await;
        fixture.post(ROOT, AddCredits, "ana_app", 1).await;
        fixture.expire("ana_app", Some(after(120))).await;
        let rows = db.rows("SELECT app_seq, expiration_before, expiration_after FROM expiration_edits ORDER BY id").await;
        let date = |row: &sea_orm::QueryResult, column: &str| row.try_get::<Option<DateTime<Utc>>>("", column).unwrap();
        let kept: Vec<_> = rows
            .iter()
            .map(|row| (row.try_get::<i64>("", "app_seq").unwrap(), date(row, "expiration_before"), date(row, "expiration_after")))
            .collect();
        let month = |minutes: i64| after(minutes).checked_add_months(chrono::Months::new(1));
        assert_eq!(
            kept,
            [(0, None, Some(after(60))), (1, month(60), None), (2, month(0), Some(after(120)))]
        );
        assert_eq!(fixture.balances("ana_app").await, (2, 0));
        assert_eq!(fixture.verified().await, []);
    }

    async fn the_last_active_superadmin_stays(db: &TestDb) {
        let fixture = families(db).await;
        fixture.register(ROOT, &Registration { status: UserStatus::Suspended, ..registration("boss_1", RoleCode::Superadmin) }).await;
        let rows = everything(db).await;
        assert_eq!(fixture.edit(ROOT, |change| change.role = RoleCode::Admin).await, PersonWritten::LastSuperadmin);
        assert_eq!(fixture.edit(ROOT, |change| change.status = UserStatus::Inactive).await, PersonWritten::LastSuperadmin);
        let removed = fixture.people.remove(&Scope::Everyone, &name(ROOT), 1).await.unwrap();
        assert_eq!(removed, PersonRemoved::LastSuperadmin);
        assert_eq!(everything(db).await, rows);
        fixture.edit("boss_1", |change| change.status = UserStatus::Active).await;
        assert!(matches!(fixture.edit(ROOT, |change| change.role = RoleCode::Admin).await, PersonWritten::Done(_)));
    }

    async fn of_two_superadmins_who_leave_at_once_one_stays(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        for round in 0..10 {
            let pair = [format!("one_{round}"), format!("two_{round}")];
            for username in &pair {
                fixture.add(ROOT, username, RoleCode::Superadmin).await;
            }
            fixture.edit(ROOT, |change| change.role = RoleCode::Admin).await;
            // By an edit, by removal, and one of each.
            let leave = |index: usize| {
                let (node, username) = (fixture.clone(), name(&pair[index]));
                tokio::spawn(async move {
                    if (round + index).is_multiple_of(3) || round % 3 == 1 {
                        let removed = node.people.remove(&Scope::Everyone, &username, 1).await.unwrap();
                        assert!(matches!(removed, PersonRemoved::Done | PersonRemoved::LastSuperadmin), "{removed:?}");
                        removed == PersonRemoved::Done
                    } else {
                        let current = node.people.find(&Scope::Everyone, &username).await.unwrap().unwrap();
                        let edit = ports::PersonChange { status: UserStatus::Inactive, ..change(&current) };
                        let written = node.people.change(&Scope::Everyone, &username, &edit, 1, &name(ROOT), start()).await.unwrap();
                        assert!(matches!(written, PersonWritten::Done(_) | PersonWritten::LastSuperadmin), "{written:?}");
                        matches!(written, PersonWritten::Done(_))
                    }
                })
            };
            let gone = join_all([leave(0), leave(1)]).await;
            let gone = gone.into_iter().filter(|one| *one.as_ref().unwrap()).count();
            assert_eq!(gone, 1);
            let left = "SELECT count(*) AS number FROM users WHERE role = 'superadmin' AND status = 'ACTIVE'";
            assert_eq!(db.number(left).await, 1);
            fixture.edit(ROOT, |change| change.role = RoleCode::Superadmin).await;
            db.run(&format!("UPDATE users SET role = 'admin' WHERE username_key <> '{}'", ROOT.to_lowercase())).await;
        }
    }

    async fn whom_nothing_remembers_is_removed_with_their_sessions(db: &TestDb) {
        let fixture = families(db).await;
        let sessions = SeaOrmSessions::new(db.database.clone());
        open_session(db, "key", "leo_app").await;
        let remove = async |scope: &Scope, username: &str, version| {
            fixture.people.remove(scope, &name(username), version).await.unwrap()
        };
        assert_eq!(remove(&subtree("rival_1"), "leo_app", 1).await, PersonRemoved::Missing);
        assert_eq!(remove(&Scope::Everyone, "nobody", 1).await, PersonRemoved::Missing);
        let outdated = remove(&Scope::Everyone, "leo_app", 2).await;
        assert_eq!(outdated, PersonRemoved::Outdated(fixture.person("leo_app").await));
        assert_eq!(remove(&Scope::Everyone, "leo_1", 1).await, PersonRemoved::InUse { movements: 0, registered: 1 });
        assert!(sessions.find("key", start()).await.unwrap().is_some());
        assert_eq!(remove(&Scope::Everyone, "leo_app", 1).await, PersonRemoved::Done);
        assert_eq!(sessions.find("key", start()).await.unwrap(), None);
        assert_eq!(remove(&Scope::Everyone, "leo_app", 1).await, PersonRemoved::Missing);
        assert_eq!(remove(&Scope::Everyone, "leo_1", 1).await, PersonRemoved::Done);
        // Whoever moved credits, had some, or whose expiration somebody set, stays.
        fixture.stock("eva_1", 3).await;
        fixture.post("eva_1", AddCredits, "eva_app", 3).await;
        fixture.expire("rival_app", Some(after(3))).await;
        for (username, movements, registered) in [("eva_app", 1, 0), ("eva_1", 4, 1), ("rival_app", 1, 0)] {
            let version = fixture.person(username).await.version;
            let removed = remove(&Scope::Everyone, username, version).await;
            assert_eq!(removed, PersonRemoved::InUse { movements, registered }, "{username}");
        }
        assert_eq!(fixture.verified().await, []);
    }

    async fn nobody_is_removed_who_registers_somebody_at_that_moment(db: &TestDb) {
        let fixture = TestUsers::of(db).await;
        let node = TestUsers::on(db.other_node().await);
        for round in 0..20 {
            let agent = format!("agent_{round}");
            fixture.add(ROOT, &agent, RoleCode::Agent).await;
            let (one, two) = (fixture.clone(), node.clone());
            let (parent, removed) = (agent.clone(), agent.clone());
            let child = registration(&format!("child_{round}"), RoleCode::App);
            let registering = tokio::spawn(async move { one.people.register(&child, &name(&parent), start(), None).await });
            let removing = tokio::spawn(async move { two.people.remove(&Scope::Everyone, &name(&removed), 1).await });
            drop((registering.await.unwrap().unwrap(), removing.await.unwrap().unwrap()));
            let orphans = "SELECT count(*) AS number FROM users u WHERE registered_by_id IS NOT NULL \
                 AND NOT EXISTS (SELECT 1 FROM users p WHERE p.id = u.registered_by_id)";
            assert_eq!(db.number(orphans).await, 0);
        }
    }

    async fn credits_move_the_version_of_app_users_and_not_that_of_agents(db: &TestDb) {
        let fixture = families(db).await;
        fixture.stock("ana_1", 10).await;
        fixture.post("ana_1", AddCreditsForSale, "eva_1", 5).await;
        fixture.post("ana_1", AddCredits, "ana_app", 1).await;
        let versions = [fixture.person("ana_1").await.version, fixture.person("eva_1").await.version, fixture.person("ana_app").await.version];
        assert_eq!(versions, [1, 1, 2]);
        let refused = fixture.try_post(&order("rival_1", AddCredits, "ana_app", 1)).await.unwrap();
        assert_eq!(refused, ports::Posted::Hidden);
        assert_eq!(fixture.person("ana_app").await.version, 2);
    }
}
