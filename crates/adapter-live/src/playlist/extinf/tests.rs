//! Lines with their attributes, groups and name.

use super::*;

#[track_caller]
fn expect(text: &str, tags: &[(&str, &str)], groups: &[&str], name: &str) {
    let found = read(text);
    let found_tags: Vec<_> = found.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(found_tags, tags, "{text}");
    assert_eq!(found.groups.names, groups, "{text}");
    assert_eq!(found.name, name, "{text}");
}

#[test]
fn a_line_of_a_megabyte_is_read_in_one_pass_or_few() {
    for filler in [" ", "a=b ", "a=\"b\" ", "\",", "\"=", "a=\"", "word ", "\"a=b,"] {
        let line = format!("-1 a=b{} tvg-id=x,Uno", filler.repeat((1 << 20) / filler.len()));
        assert!(read(&line).tags.len() <= MOST_ATTRIBUTES, "{filler}");
    }
    let blanks = format!("-1 a=b{}tvg-id=x,Uno", " ".repeat(1 << 20));
    expect(&blanks, &[("a", "b"), ("tvg-id", "x")], &[], "Uno");
}

#[test]
fn attributes_are_limited_in_number_and_an_excess_is_reported() {
    let attributes = |count: usize| (0..count).map(|one| format!(" a{one}=b")).collect::<Vec<_>>().concat();
    for (count, read_of_them, cut) in [(0, 0, false), (128, 128, false), (129, 128, true)] {
        let found = read(&format!("-1{},Uno", attributes(count)));
        assert_eq!((found.tags.len(), found.name.as_str(), found.cut), (read_of_them, "Uno", cut));
        let header = read_attributes(&attributes(count));
        assert_eq!((header.tags.len(), header.cut), (read_of_them, cut));
    }
}

#[test]
fn attributes_come_in_any_quotes_case_and_blanks() {
    expect(
        r#"-1 tvg-id="a" TVG-Name='b' radio=true,Uno"#,
        &[("tvg-id", "a"), ("tvg-name", "b"), ("radio", "true")],
        &[],
        "Uno",
    );
    expect(
        r#"-1 tvg-id = "a"  tvg-name= 'b c' x-own =d e f=g , Uno"#,
        &[("tvg-id", "a"), ("tvg-name", "b c"), ("x-own", "d e"), ("f", "g")],
        &[],
        "Uno",
    );
    expect(r#"-1 tvg-id="a"tvg-name="b",Uno"#, &[("tvg-id", "a"), ("tvg-name", "b")], &[], "Uno");
    expect("-1\ttvg-id=\"a\"\ttvg-name=\"\",Uno", &[("tvg-id", "a"), ("tvg-name", "")], &[], "Uno");
    expect(
        "-1 tvg-name=Canal 7 HD tvg-id=siete.es,Uno",
        &[("tvg-name", "Canal 7 HD"), ("tvg-id", "siete.es")],
        &[],
        "Uno",
    );
}

#[test]
fn quoted_values_may_have_quotes() {
    expect(
        r#"-1 tvg-name="Canal "7" HD" tvg-id="a",Uno"#,
        &[("tvg-name", r#"Canal "7" HD"#), ("tvg-id", "a")],
        &[],
        "Uno",
    );
    expect(r#"-1 tvg-name="Cine "Oro"",Uno"#, &[("tvg-name", r#"Cine "Oro""#)], &[], "Uno");
    expect(
        r#"-1 tvg-name="Cine "Oro", HD" tvg-id="a",Uno"#,
        &[("tvg-name", r#"Cine "Oro", HD"#), ("tvg-id", "a")],
        &[],
        "Uno",
    );
    expect(
        r"-1 tvg-name='L'Équipe' tvg-id='a',L'Équipe",
        &[("tvg-name", "L'Équipe"), ("tvg-id", "a")],
        &[],
        "L'Équipe",
    );
    expect(r#"-1 tvg-name="L'Équipe",L'Équipe"#, &[("tvg-name", "L'Équipe")], &[], "L'Équipe");
}

#[test]
fn attributes_and_names_may_have_commas() {
    expect(
        r#"-1 tvg-name="Uno, dos" group-title="A,B",Uno, dos, tres"#,
        &[("tvg-name", "Uno, dos")],
        &["A,B"],
        "Uno, dos, tres",
    );
    expect(r#"-1 tvg-id="a",Pantalla 32", la grande"#, &[("tvg-id", "a")], &[], r#"Pantalla 32", la grande"#);
    expect(r#"-1 tvg-id="a",Uno a="b" c"#, &[("tvg-id", "a")], &[], r#"Uno a="b" c"#);
    expect("-1,,Uno", &[], &[], ",Uno");
}

#[test]
fn attributes_may_follow_a_comma_or_semicolon() {
    expect(
        r#"-1, tvg-id="a" group-title="Cine, HD",Uno, dos"#,
        &[("tvg-id", "a")],
        &["Cine, HD"],
        "Uno, dos",
    );
    expect(r#"-1,group-title="Cine" Canal Uno"#, &[], &["Cine"], "Canal Uno");
    expect(r#"-1;tvg-id="a",Uno"#, &[("tvg-id", "a")], &[], "Uno");
    for line in [r#"-1 tvg-id="a";tvg-name="b",Uno"#, r#"-1 tvg-id="a"; tvg-name="b",Uno"#] {
        expect(line, &[("tvg-id", "a"), ("tvg-name", "b")], &[], "Uno");
    }
    expect(
        r#"-1 tvg-id="a", tvg-name="b",group-title="Cine",Uno"#,
        &[("tvg-id", "a"), ("tvg-name", "b")],
        &["Cine"],
        "Uno",
    );
    let header = read_attributes(r#" url-tvg="http://a/", x-tvg-url="http://b/",Catchup="append""#);
    let names: Vec<_> = header.tags.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["url-tvg", "x-tvg-url", "catchup"]);
    expect(r#"-1,Uno tvg-id="a""#, &[], &[], r#"Uno tvg-id="a""#);
    expect(r#"-1,a="b",Uno"#, &[], &[], r#"a="b",Uno"#);
    expect(r#"-1,tvg-id="a"#, &[], &[], r#"tvg-id="a"#);
}

#[test]
fn an_unclosed_quote_affects_only_its_value() {
    expect(r#"-1 tvg-id="a tvg-name="b",Uno"#, &[("tvg-id", "a"), ("tvg-name", "b")], &[], "Uno");
    expect(r#"-1 tvg-id="a,Uno"#, &[("tvg-id", "a")], &[], "Uno");
    expect(r#"-1 tvg-id="a" Canal Uno"#, &[("tvg-id", "a")], &[], "Canal Uno");
    expect(r#"-1 stray tvg-id="a",Uno"#, &[("tvg-id", "a")], &[], "Uno");
    expect("Uno", &[], &[], "Uno");
    expect("", &[], &[], "");
}

#[test]
fn several_groups_are_each_once() {
    expect(
        r#"-1 group-title="Cine; Series;;Cine" group-title="Niños",Uno"#,
        &[],
        &["Cine", "Series", "Niños"],
        "Uno",
    );
}

#[test]
fn groups_are_limited_in_number_and_length() {
    let groups_of = |text: &str| {
        let mut groups = Groups::default();
        groups.add(text);
        groups
    };
    let numbered = |count: usize| (0..count).map(|one| one.to_string()).collect::<Vec<_>>();
    for (count, cut) in [(MOST_GROUPS, false), (MOST_GROUPS + 1, true), (300_000, true)] {
        let found = groups_of(&numbered(count).join(";"));
        assert_eq!((found.names, found.cut), (numbered(MOST_GROUPS), cut), "{count}");
    }
    let once = groups_of(&"Cine;Series;".repeat(100_000));
    assert_eq!((once.names.len(), once.cut), (2, false));
    let long = "ñ".repeat(LONGEST_GROUP);
    for (more, cut) in [("", false), ("ñ", true), (" y más", true)] {
        let found = groups_of(&format!("{long}{more};Cine"));
        assert_eq!((found.names, found.cut), (vec![long.clone(), "Cine".to_owned()], cut), "{more}");
    }
}

#[test]
fn inherited_groups_take_a_kilobyte_at_most() {
    let text = "x".repeat(LONGEST_GROUP);
    let (long, other) = (text.as_str(), &text[1..]);
    let groups = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Groups { names, cut: false }
    };
    assert_eq!(groups(&[long, other, "Cine"]).inherited(), groups(&[long, other, "Cine"]));
    let found = groups(&[long, other, &text[2..], "Cine"]).inherited();
    assert_eq!(found, Groups { cut: true, ..groups(&[long, other]) });
}

#[test]
fn a_duration_is_a_number_before_a_blank_or_the_comma() {
    for (text, duration, name) in [
        ("-1,Uno", None, "Uno"),
        (",Uno", None, "Uno"),
        ("0,Uno", Some("0"), "Uno"),
        ("10.5 tvg-id=\"a\",Uno", Some("10.5"), "Uno"),
        (" -1 ,Uno", None, "Uno"),
        ("24h Noticias", None, "24h Noticias"),
    ] {
        let found = read(text);
        assert_eq!((found.duration.as_deref(), found.name.as_str()), (duration, name), "{text}");
    }
}

#[test]
fn control_and_invisible_characters_are_removed() {
    expect("-1 tvg-id=\"a\0b\",\u{200b}Uno\tDos\u{202e}", &[("tvg-id", "a b")], &[], "Uno Dos");
}
