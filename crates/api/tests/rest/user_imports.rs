//! Imports of users from spreadsheets over the API: permissions, results of rows, passwords, which
//! are not stored, and undo.

use actix_web::web::Bytes;
use chrono::NaiveDate;
use domain_kernel::RoleCode;
use rust_xlsxwriter::{Format, Formula, Workbook};
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

const UPLOADS: &str = "/api/users/spreadsheet-imports";

async fn read(client: &Client<'_>, path: &str) -> Value {
    let answer = client.get(path).send().await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}

async fn upload(client: &Client<'_>, file: impl Into<Bytes>) -> Value {
    let sent = client.post(UPLOADS).body("application/octet-stream", file);
    let answer = sent.send().await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()
}

/// Imports a file with the columns that were found in it; returns the finished operation and its
/// rows.
async fn import(
    app: &TestApp,
    client: &Client<'_>,
    file: impl Into<Bytes>,
    dry_run: bool,
) -> (Value, Vec<Value>) {
    import_with(app, client, file, dry_run, &json!([])).await
}

/// The same with default values for new users.
async fn import_with(
    app: &TestApp,
    client: &Client<'_>,
    file: impl Into<Bytes>,
    dry_run: bool,
    defaults: &Value,
) -> (Value, Vec<Value>) {
    let uploaded = upload(client, file).await;
    let columns: Vec<&Value> =
        uploaded["columns"].as_array().unwrap().iter().map(|one| &one["key"]).collect();
    let run = format!("{UPLOADS}/{}/run", uploaded["id"]);
    let begun = client.post(&run).json(&json!({"columns": columns, "defaults": defaults, "dryRun": dry_run}));
    let begun = begun.send().await;
    assert_eq!(begun.status, 202, "{}", begun.text());
    finished(app, client, &begun.json()["id"]).await
}

async fn finished(app: &TestApp, client: &Client<'_>, id: &Value) -> (Value, Vec<Value>) {
    app.run_operations().await;
    let operation = read(client, &format!("/api/operations/{id}")).await;
    assert_eq!(operation["state"], "FINISHED", "{operation}");
    let rows = read(client, &format!("/api/operations/{id}/rows?_size=100")).await;
    (operation, rows.as_array().unwrap().clone())
}

fn verdicts(rows: &[Value]) -> Vec<(String, &str)> {
    let verdict = |row: &Value| format!("{} {}", row["sheetRow"], row["verdict"].as_str().unwrap());
    rows.iter().map(|row| (verdict(row), row["problems"][0]["code"].as_str().unwrap_or(""))).collect()
}

const HEAD: &str = "Usuario;Nombre completo;Correo electrónico;Teléfono;Rol;Créditos de App;Créditos para Venta;Vencimiento;Registrado por";

/// A workbook with a date cell, a number from a formula, and merged cells.
fn workbook() -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    let headings =
        ["Usuario", "Nombre completo", "Correo electrónico", "Teléfono", "Créditos de App", "Vencimiento"];
    for (column, text) in (0..).zip(headings) {
        sheet.write(0, column, text).unwrap();
    }
    for (column, text) in (0..).zip(["de_un_libro", "Begoña Núñez", "b@example.com", "+34 600 123 456"]) {
        sheet.write(1, column, text).unwrap();
    }
    sheet.write(1, 4, Formula::new("=1+2").set_result("3")).unwrap();
    let day = Format::new().set_num_format("d-mmm-yy");
    sheet.write_date_with_format(1, 5, NaiveDate::from_ymd_opt(2027, 12, 31).unwrap(), &day).unwrap();
    sheet.merge_range(3, 0, 3, 5, "Total: 1 cliente", &Format::new()).unwrap();
    book.save_to_buffer().unwrap()
}

on_both! {
    async fn files_of_other_programs_have_the_same_result(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let text = |name: &str, separator: &str, day: &str| {
            let row = [name, "Begoña Núñez", "b@example.com", "+34 600 123 456", "3", day].join(separator);
            let head = "Usuario;Nombre completo;Correo electrónico;Teléfono;Créditos de App;Vencimiento";
            format!("{}\r\n{row}\r\n", head.replace(';', separator))
        };
        let windows = |text: String| -> Vec<u8> {
            text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect()
        };
        let utf16 = |text: String| -> Vec<u8> {
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
        };
        for (name, file, refused) in [
            ("de_windows", windows(text("de_windows", ";", "31/12/2027")), 0),
            ("de_excel", utf16(text("de_excel", "\t", "31.12.2027")), 0),
            ("con_marca", format!("\u{feff}{}", text("con_marca", ",", "2027-12-31")).into_bytes(), 0),
            // The merged line below the table is not a user.
            ("de_un_libro", workbook(), 1),
        ] {
            let (done, rows) = import(app, &admin, file, false).await;
            let counts = (&done["counts"]["created"], &done["counts"]["refused"]);
            assert_eq!(counts, (&json!(1), &json!(refused)), "{name}: {rows:?}");
            let user = read(&admin, &format!("/api/users/{name}")).await;
            assert_eq!((&user["fullName"], &user["credits"]), (&json!("Begoña Núñez"), &json!(3)), "{name}");
            assert_eq!(user["expirationDate"].as_str().unwrap().get(..10), Some("2027-12-31"), "{name}");
        }
    }

    async fn an_undo_reverses_the_start_of_a_subscription(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let agent = app.sign_in_as(RoleCode::Agent).await;
        agent.register("cliente_a", "app").await;
        let state = async || read(&admin, "/api/users/cliente_a").await["subscription"]["state"].clone();
        assert_eq!(state().await, "NOT_STARTED");
        let file = "Usuario;Vencimiento\ncliente_a;31/12/2027\n";
        let (done, rows) = import(app, &admin, file, false).await;
        assert_eq!((done["counts"]["changed"].as_i64(), state().await), (Some(1), json!("CURRENT")), "{rows:?}");
        let undo = admin.post(&format!("/api/operations/{}/undo", done["id"])).send().await;
        assert_eq!(undo.status, 202);
        let (undo, rows) = finished(app, &admin, &undo.json()["id"]).await;
        // Not one without an end.
        assert_eq!((undo["counts"]["changed"].as_i64(), state().await), (Some(1), json!("NOT_STARTED")), "{rows:?}");
    }

    async fn a_row_without_changes_is_not_validated(app: &TestApp) {
        let root = app.sign_in_as(RoleCode::Superadmin).await;
        app.sign_in_as(RoleCode::Agent).await;
        // Like the first account, which has none.
        app.run("UPDATE users SET email = '', phone_number = ''").await;
        let file = root.get("/api/spreadsheets/users?format=csv").send().await.text();
        let (done, rows) = import(app, &root, file, false).await;
        assert_eq!((&done["counts"]["refused"], &done["counts"]["changed"]), (&json!(0), &json!(0)), "{rows:?}");
        // Balances of existing users are not read.
        let file = "Usuario;Créditos para Venta\nagent;ilimitado\n";
        let (done, rows) = import(app, &root, file, false).await;
        assert_eq!(done["counts"]["unchanged"], 1, "{rows:?}");
    }

    async fn a_file_with_four_columns_is_imported_with_default_values(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        app.sign_in_as(RoleCode::Agent).await;
        let file = "Login *;vence;OWNER;Créditos (meses)\ncliente_a;31/12/2027;agent;3\ncliente_b;31/01/2027;;2\ncliente_c;;;\n";
        let uploaded = upload(&admin, file).await;
        let run = format!("{UPLOADS}/{}/run", uploaded["id"]);
        let columns = json!(["username", "expirationDate", "registeredBy", "credits"]);
        let found: Vec<&Value> = uploaded["columns"].as_array().unwrap().iter().map(|one| &one["key"]).collect();
        assert_eq!(json!(found), columns, "headings of another panel are recognised");
        let refused = |defaults: Value| {
            let body = json!({"columns": columns, "defaults": defaults, "dryRun": true});
            let request = admin.post(&run).json(&body);
            async { request.send().await }
        };
        for (defaults, field) in [
            (json!([{"key": "username", "value": "x"}]), "defaults[0].key"),
            (json!([{"key": "password", "value": "x"}]), "defaults[0].key"),
            (json!([{"key": "email", "value": "a@b.co"}, {"key": "email", "value": "a@b.co"}]), "defaults[1].key"),
            (json!([{"key": "email", "value": ""}]), "defaults[0].value"),
        ] {
            let answer = refused(defaults).await;
            assert_eq!((answer.status, &answer.json()["errors"][0]["field"]), (422, &json!(field)));
        }
        // An invalid default value is reported for each row that would get it.
        let bad = json!([{"key": "email", "value": "nothing"}, {"key": "phoneNumber", "value": "600 000 000"}]);
        let begun = refused(bad).await.json();
        let (_, rows) = finished(app, &admin, &begun["id"]).await;
        assert_eq!(verdicts(&rows), [1, 2, 3].map(|row| (format!("{} REFUSED", row + 1), "INVALID_FORMAT")));

        let defaults = json!([
            {"key": "email", "value": "clientes@example.com"}, {"key": "phoneNumber", "value": "600 000 000"},
            {"key": "registeredBy", "value": "admin"}, {"key": "credits", "value": "1"},
            {"key": "expirationDate", "value": "2026-12-31"},
        ]);
        let body = json!({"columns": columns, "defaults": defaults, "dryRun": false});
        let begun = admin.post(&run).json(&body).send().await.json();
        assert_eq!(begun["import"]["defaults"], defaults, "{begun}");
        let (done, rows) = finished(app, &admin, &begun["id"]).await;
        assert_eq!(done["counts"]["created"], 3, "{rows:?}");
        for (name, registrar, end, credits) in [
            ("cliente_a", "agent", "2027-12-31", 3),
            ("cliente_b", "admin", "2027-01-31", 2),
            ("cliente_c", "admin", "2026-12-31", 1),
        ] {
            let user = read(&admin, &format!("/api/users/{name}")).await;
            let own = (&user["registeredBy"], &user["credits"], &user["email"]);
            assert_eq!(own, (&json!(registrar), &json!(credits), &json!("clientes@example.com")), "{name}");
            assert_eq!(user["expirationDate"].as_str().unwrap().get(..10), Some(end), "{name}");
        }
        // Existing users keep values that the file does not have.
        let patch = json!({"email": "ana@example.com"});
        assert_eq!(admin.patch("/api/users/cliente_a").json(&patch).send().await.status, 200);
        let begun = admin.post(&run).json(&body).send().await.json();
        let (again, rows) = finished(app, &admin, &begun["id"]).await;
        assert_eq!(again["counts"]["unchanged"], 3, "{rows:?}");
        assert_eq!(read(&admin, "/api/users/cliente_a").await["email"], "ana@example.com");
    }

    async fn users_of_another_panel_are_imported_once_with_owners_ends_and_balances(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        // The owner of the first row is in the last row, and has an owner.
        let file = format!(
            "{HEAD}\n\
             cliente_a;Ana;ana@example.com;600 123 456;app;3;;31/12/2027;revende_b\n\
             revende_b;Beto;beto@example.com;600 123 457;agent;;40;;revende_c\n\
             revende_c;Ceci;ceci@example.com;600 123 458;agent;;100;;\n\
             cliente_d;;d@example.com;600 123 459;;;;2027-03-01;\n"
        );
        let (preview, rows) = import(app, &admin, file.clone(), true).await;
        assert_eq!(preview["counts"]["created"], 4, "{rows:?}");
        assert_eq!(admin.get("/api/users/cliente_a").send().await.status, 404);

        let (done, rows) = import(app, &admin, file.clone(), false).await;
        assert_eq!(done["counts"]["created"], 4, "{rows:?}");
        let ana = read(&admin, "/api/users/cliente_a").await;
        assert_eq!((&ana["credits"], &ana["registeredBy"]), (&json!(3), &json!("revende_b")));
        assert_eq!(ana["expirationDate"].as_str().unwrap().get(..10), Some("2027-12-31"));
        assert_eq!(read(&admin, "/api/users/revende_b").await["saleCredits"], 40);
        assert_eq!(read(&admin, "/api/users/revende_b").await["registeredBy"], "revende_c");
        let other = read(&admin, "/api/users/cliente_d").await;
        assert_eq!((&other["fullName"], &other["registeredBy"]), (&json!("cliente_d"), &json!("admin")));
        let movements = read(&admin, "/api/credits/history/cliente_a").await;
        assert_eq!(movements["totalElements"], 1);
        let movement = &movements["content"][0];
        assert_eq!((&movement["amount"], &movement["imported"], &movement["performedByUser"]["username"]), (&json!(3), &json!(true), &json!("admin")));

        // Importing the same file again changes nothing and posts nothing, also after a sale.
        let credits = json!({"targetUsername": "cliente_a", "amount": 1});
        assert_eq!(admin.post("/api/credits/add").json(&credits).send().await.status, 201);
        let (again, rows) = import(app, &admin, file.replace("31/12/2027", "31/01/2028"), false).await;
        assert_eq!(again["counts"]["unchanged"], 4, "{rows:?}");
        assert_eq!(read(&admin, "/api/users/cliente_a").await["credits"], 4);
        // A user without a password can't sign in.
        let guess = json!({"username": "cliente_d", "password": ""});
        assert!(app.anonymous().post("/api/auth/login").json(&guess).send().await.status >= 400);
    }

    async fn each_run_of_a_file_puts_owners_first_by_its_own_columns_and_values(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        // The owner of the first row is in the second slice, and has an owner in the third.
        let line = |place: i64| {
            let (name, owner, role, email) = match place {
                0 => ("cliente_0".to_owned(), "revende_b", "app", "x@example.com"),
                120 => ("cliente_120".to_owned(), "", "app", "nothing"),
                150 => ("revende_b".to_owned(), "", "agent", "x@example.com"),
                250 => ("revende_c".to_owned(), "admin", "agent", "x@example.com"),
                _ => (format!("cliente_{place}"), "", "app", "x@example.com"),
            };
            format!("{name};{owner};{role};{email};600 123 456\n")
        };
        let file = format!("login;parent;rol;email;telefono\n{}", (0..=250).map(line).collect::<String>());
        let uploaded = upload(&admin, file).await;
        assert_eq!(uploaded["columns"][1]["key"], Value::Null, "the heading is unknown: {uploaded}");
        let path = format!("{UPLOADS}/{}/run", uploaded["id"]);
        let run = async |owner: Option<&str>, default: Option<&str>, dry_run: bool| {
            let columns = json!(["username", owner, "role", "email", "phoneNumber"]);
            let defaults: Vec<Value> = default.iter().map(|name| json!({"key": "registeredBy", "value": name})).collect();
            let body = json!({"columns": columns, "defaults": defaults, "dryRun": dry_run});
            let begun = admin.post(&path).json(&body).send().await;
            assert_eq!(begun.status, 202, "{}", begun.text());
            finished(app, &admin, &begun.json()["id"]).await
        };
        // Without the column there are no owners; then the column is chosen, then a default for
        // empty cells.
        for (owner, default, dry_run) in [
            (None, None, true),
            (Some("registeredBy"), None, true),
            (Some("registeredBy"), Some("revende_c"), true),
            (Some("registeredBy"), Some("revende_c"), false),
        ] {
            let (done, rows) = run(owner, default, dry_run).await;
            let counts = (&done["counts"]["created"], &done["counts"]["refused"]);
            assert_eq!(counts, (&json!(250), &json!(1)), "{owner:?} {default:?}: {done}");
            // Results are in the order of the file, independent of the order of processing.
            for (place, row) in rows.iter().enumerate() {
                let seen = (&row["position"], &row["sheetRow"], &row["itemId"]);
                assert_eq!(seen, (&json!(place), &json!(place + 2), &json!(format!("cliente_{place}"))));
            }
            let failures = format!("/api/operations/{}/failures?language=en", done["id"]);
            let failures = admin.get(&failures).send().await.text();
            let expected = "\"cliente_120\",\"\",\"app\",\"nothing\",\"600 123 456\",\"email: ";
            assert!(failures.lines().count() == 2 && failures.contains(expected), "{failures}");
        }
        for (name, owner) in [("cliente_0", "revende_b"), ("revende_b", "revende_c"), ("cliente_1", "revende_c"), ("revende_c", "admin")] {
            assert_eq!(read(&admin, &format!("/api/users/{name}")).await["registeredBy"], owner, "{name}");
        }
    }

    async fn violations_are_refused_row_by_row(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let contact = "x@example.com;600 123 456";
        let file = format!(
            "{HEAD}\n\
             a!;A a;{contact};app;;;;\n\
             sin_correo;A a;;600 123 456;app;;;;\n\
             jefe_1;A a;{contact};superadmin;;;;\n\
             cliente_1;A a;{contact};app;5;;;\n\
             cliente_2;A a;{contact};app;;5;2027-01-01;\n\
             cliente_3;A a;{contact};app;-1;;2027-01-01;\n\
             cliente_4;A a;{contact};app;;;;nadie\n\
             cliente_5;A a;{contact};app;;;;app\n\
             vuelta_1;A a;{contact};agent;;;;vuelta_2\n\
             vuelta_2;A a;{contact};agent;;;;vuelta_1\n\
             cliente_6;A a;{contact};app;;;;\n\
             CLIENTE_6;B b;{contact};app;;;;\n"
        );
        let expected = [
            ("2 REFUSED", "INVALID_FORMAT"),
            ("3 REFUSED", "REQUIRED"),
            ("4 REFUSED", "FORBIDDEN"),
            ("5 REFUSED", "REQUIRED"),
            ("6 REFUSED", "WRONG_ROLE"),
            ("7 REFUSED", "TOO_SMALL"),
            ("8 REFUSED", "UNKNOWN_REFERENCE"),
            ("9 REFUSED", "WRONG_ROLE"),
            ("10 REFUSED", "UNKNOWN_REFERENCE"),
            ("11 REFUSED", "UNKNOWN_REFERENCE"),
            ("12 CREATED", ""),
            ("13 REFUSED", "DUPLICATE_ROW"),
        ];
        let expected: Vec<(String, &str)> = expected.iter().map(|(row, code)| ((*row).to_owned(), *code)).collect();
        for dry_run in [true, false] {
            let (_, mut rows) = import(app, &admin, file.clone(), dry_run).await;
            rows.sort_by_key(|row| row["sheetRow"].as_i64());
            assert_eq!(verdicts(&rows), expected);
        }
    }

    async fn existing_users_are_changed_and_an_undo_restores_their_values(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        admin.register("vieja_1", "app").await;
        // A user without credits is not activated, not even by an undo.
        let credits = json!({"targetUsername": "vieja_1", "amount": 1});
        assert_eq!(admin.post("/api/credits/add").json(&credits).send().await.status, 201);
        let before = read(&admin, "/api/users/vieja_1").await;
        let file = "username,fullName,status,credits\nVIEJA_1,Nombre Nuevo,Inactivo,900\n\
                    nueva_1,Nueva,,\n".replace("status,credits", "status,credits,email,phoneNumber")
            .replace("900\n", "900,v@example.com,600 000 000\n").replace("Nueva,,\n", "Nueva,,,n@example.com,600 000 001\n");
        let (done, rows) = import(app, &admin, file.clone(), false).await;
        assert_eq!((&done["counts"]["changed"], &done["counts"]["created"]), (&json!(1), &json!(1)), "{rows:?}");
        let after = read(&admin, "/api/users/vieja_1").await;
        // Balances of existing users are changed only by the ledger.
        assert_eq!((&after["fullName"], &after["status"], &after["credits"]), (&json!("Nombre Nuevo"), &json!("INACTIVE"), &before["credits"]));
        let undo = admin.post(&format!("/api/operations/{}/undo", done["id"])).send().await;
        assert_eq!(undo.status, 202, "{}", undo.text());
        let (_, rows) = finished(app, &admin, &undo.json()["id"]).await;
        let restored = read(&admin, "/api/users/vieja_1").await;
        assert_eq!((&restored["fullName"], &restored["email"]), (&before["fullName"], &before["email"]), "{rows:?}");
        assert_eq!(read(&admin, "/api/users/nueva_1").await["status"], "INACTIVE");
    }

    async fn the_language_of_users_is_imported_by_name_or_code_and_undone(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        admin.register("vieja_1", "app").await;
        let file = "Usuario;Idioma;Correo electrónico;Teléfono\nvieja_1;Inglés;;\n\
                    nueva_1;es;n@example.com;600 000 001\nnueva_2;fr;n@example.com;600 000 002\n";
        let (done, rows) = import(app, &admin, file, false).await;
        let counts = ["changed", "created", "refused"].map(|name| done["counts"][name].clone());
        assert_eq!(counts, [json!(1), json!(1), json!(1)], "{rows:?}");
        let language = async |name: &str| read(&admin, &format!("/api/users/{name}")).await["language"].clone();
        assert_eq!((language("vieja_1").await, language("nueva_1").await), (json!("en"), json!("es")));
        let undo = admin.post(&format!("/api/operations/{}/undo", done["id"])).send().await;
        assert_eq!(undo.status, 202, "{}", undo.text());
        finished(app, &admin, &undo.json()["id"]).await;
        assert_eq!(language("vieja_1").await, Value::Null);
    }

    async fn importing_an_exported_file_changes_nothing(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Superadmin).await;
        admin.register("hoja_1", "app").await;
        assert_eq!(admin.patch("/api/users/hoja_1").json(&json!({"language": "en"})).send().await.status, 200);
        let credits = json!({"targetUsername": "hoja_1", "amount": 2});
        assert_eq!(admin.post("/api/credits/add").json(&credits).send().await.status, 201);
        for (language, format) in [("es", "csv"), ("en", "csv")] {
            let path = format!("/api/spreadsheets/users?language={language}&format={format}&roleCode=app&search=hoja");
            let file = admin.get(&path).send().await.text();
            let (done, rows) = import(app, &admin, file.clone(), false).await;
            assert_eq!(done["counts"]["unchanged"], 1, "{language}: {rows:?}\n{file}");
        }
    }

    async fn passwords_of_a_file_are_stored_nowhere(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let file = "Usuario;Contraseña;Correo electrónico;Teléfono\nnueva_2;Secreta99;n@example.com;600 000 000\n";
        let uploaded = upload(&admin, file).await;
        assert_eq!(uploaded["columns"][1], json!({"heading": "Contraseña", "samples": [], "key": null, "fits": []}));
        let (done, _) = import(app, &admin, file, false).await;
        assert_eq!(done["counts"]["created"], 1);
        assert_eq!(app.number("SELECT count(*) AS number FROM sheet_slices WHERE content LIKE '%Secreta99%'").await, 0);
        assert_eq!(app.number("SELECT count(*) AS number FROM users WHERE username = 'nueva_2' AND password_hash IS NULL").await, 1);
    }

    async fn only_admins_import_users(app: &TestApp) {
        for role in [RoleCode::Agent, RoleCode::ContentManager] {
            let client = app.sign_in_as(role).await;
            let sent = client.post(UPLOADS).body("application/octet-stream", "username\nabc\n");
            assert_eq!(sent.send().await.status, 403, "{role:?}");
        }
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let template = admin.get("/api/users/spreadsheet/template?language=en").send().await;
        assert!(template.text().contains("\"User name\""), "{}", template.text());
    }
}
