//! Drafts of profiles, and the channels of their playlists.

use domain_kernel::DraftReader;
use serde_json::{Value, json};

use super::*;
use crate::entry::Directive;

fn faults(changes: Value) -> Vec<(String, &'static str)> {
    let mut draft = json!({"name": "Salón", "username": "ana"});
    for (name, value) in changes.as_object().unwrap() {
        draft[name] = value.clone();
    }
    let read = DraftReader::<LiveProfileDraft>::new().read(draft, &());
    let violations = read.err().map(|all| all.0).unwrap_or_default();
    violations.into_iter().map(|one| (one.field, one.code.as_str())).collect()
}

#[test]
fn a_profile_is_for_a_subscriber_or_for_a_key() {
    assert_eq!(faults(json!({})), []);
    assert_eq!(faults(json!({"username": null, "keyId": 1})), []);
    for (changes, expected) in [
        (json!({"keyId": 1}), ("username", "CONTRADICTORY")),
        (json!({"username": null}), ("username", "REQUIRED")),
        (json!({"name": ""}), ("name", "REQUIRED")),
        (json!({"categories": [1, 1]}), ("categories", "DUPLICATE")),
        (json!({"order": "RANDOM"}), ("order", "UNKNOWN_VALUE")),
        (json!({"guideDays": 15}), ("guideDays", "TOO_LARGE")),
        (json!({"callsPerMinute": 0}), ("callsPerMinute", "TOO_SMALL")),
    ] {
        assert_eq!(faults(changes.clone()), [(expected.0.to_owned(), expected.1)], "{changes}");
    }
}

#[test]
fn one_category_replaces_another_without_a_duplicate() {
    for (categories, changed, expected) in [
        (json!([7, 2]), true, vec![9, 2]),
        (json!([2, 7, 9]), true, vec![2, 9]),
        (json!([2]), false, vec![2]),
        (json!([]), false, vec![]),
    ] {
        let json = json!({"name": "Salón", "username": "ana", "categories": categories});
        let mut draft = DraftReader::<LiveProfileDraft>::new().read(json, &()).unwrap().into_inner();
        assert_eq!((draft.exchange_category(7, 9), draft.categories), (changed, expected));
    }
}

fn tags(pairs: &[(&str, &str)]) -> Vec<(TagName, String)> {
    pairs.iter().map(|(name, value)| (TagName::new(name), (*value).to_owned())).collect()
}

fn applied() -> Entry {
    Entry {
        name: " Siete ".into(),
        url: "http://h/7".into(),
        duration: Some("0".into()),
        groups: vec!["España".into(), "Cine".into()],
        tags: tags(&[
            ("tvg-id", "siete"),
            ("catchup", "default"),
            ("tvg-logo", "/siete.png"),
            ("tvg-chno", "07"),
        ]),
        directives: vec![Directive { name: "EXTVLCOPT".into(), value: "http-user-agent=x".into() }],
        headers: vec![("Referer".into(), "http://h/".into())],
        ..Entry::default()
    }
}

fn channel(fields: ChannelFields) -> ProfileChannel {
    ProfileChannel {
        fields,
        applied: Some(applied()),
        categories: vec!["Otra".into()],
        headers: None,
        shift_minutes: None,
    }
}

#[test]
fn unchanged_entries_are_published_as_imported() {
    let unchanged = channel(ChannelFields::of(&applied()));
    assert_eq!(unchanged.entry(ChannelNumbering::Own, 1), applied());
}

#[test]
fn changes_in_the_catalogue_are_published() {
    let fields = ChannelFields {
        title: "Mi canal".into(),
        url: "http://base/42".into(),
        epg_id: None,
        image_url: Some("https://h/7.png".into()),
        number: Some(501),
    };
    let expected = Entry {
        name: "Mi canal".into(),
        url: "http://base/42".into(),
        tags: tags(&[("catchup", "default"), ("tvg-logo", "https://h/7.png"), ("tvg-chno", "501")]),
        headers: Vec::new(),
        directives: Vec::new(),
        ..applied()
    };
    assert_eq!(channel(fields).entry(ChannelNumbering::Own, 1), expected);
}

#[test]
fn another_stream_is_published_with_its_own_headers_and_without_those_of_the_first() {
    let own = vec![("User-Agent".to_owned(), "VLC".to_owned())];
    let reserve = ChannelFields { url: "http://b/7".into(), ..ChannelFields::of(&applied()) };
    let entry = ProfileChannel { headers: Some(own.clone()), ..channel(reserve) };
    let expected =
        Entry { url: "http://b/7".into(), headers: own.clone(), directives: Vec::new(), ..applied() };
    assert_eq!(entry.entry(ChannelNumbering::Own, 1), expected);
    let first = ProfileChannel { headers: Some(own.clone()), ..channel(ChannelFields::of(&applied())) };
    assert_eq!(first.entry(ChannelNumbering::Own, 1), Entry { headers: own, ..applied() });
}

#[test]
fn headers_of_directives_and_attributes_are_not_repeated_after_the_url() {
    let mut came_in = applied();
    came_in.tags.extend(tags(&[("http-cookie", "a=b")]));
    let going_out = |headers: Vec<(String, String)>, came_in: &Entry| {
        let channel = channel(ChannelFields::of(came_in));
        let channel = ProfileChannel { applied: Some(came_in.clone()), headers: Some(headers), ..channel };
        channel.entry(ChannelNumbering::Own, 1)
    };
    assert_eq!(going_out(came_in.player_headers(), &came_in), came_in);
    let edited = vec![("User-Agent".to_owned(), "y".to_owned()), ("Cookie".to_owned(), "a=b".to_owned())];
    assert_eq!(going_out(edited.clone(), &came_in).headers, edited[..1]);
    // A list with the header in both forms keeps both.
    came_in.headers.push(("User-Agent".into(), "x".into()));
    assert_eq!(going_out(came_in.player_headers(), &came_in), came_in);
}

#[test]
fn the_shift_of_a_channel_replaces_that_of_its_entry() {
    for (came_in, minutes, expected) in [
        (Some("+1"), None, Some("+1")),
        (Some("+1"), Some(60), Some("+1")),
        (Some("1"), Some(0), Some("0")),
        (Some("1"), Some(-90), Some("-1.5")),
        (None, Some(0), None),
        (None, Some(120), Some("2")),
        (None, Some(1), Some("0.0167")),
        (None, Some(-1_440), Some("-24")),
    ] {
        let mut entry = applied();
        entry.tags.extend(came_in.map(|text| (TagName::new("tvg-shift"), text.to_owned())));
        let channel = channel(ChannelFields::of(&entry));
        let channel = ProfileChannel { applied: Some(entry), shift_minutes: minutes, ..channel };
        let goes_out = channel.entry(ChannelNumbering::Own, 1);
        assert_eq!(goes_out.tag("tvg-shift"), expected);
        if let Some(minutes) = minutes {
            assert_eq!(goes_out.guide_shift(), i64::from(minutes) * 60);
        }
    }
}

#[test]
fn headers_in_attributes_do_not_go_to_another_address() {
    let mut came_in = applied();
    came_in.tags.extend(tags(&[("http-cookie", "session=1"), ("HTTP-User-Agent", "x"), ("x-own", "a")]));
    let fields = ChannelFields { url: "http://b/7".into(), ..ChannelFields::of(&came_in) };
    for own in [None, Some(vec![("Cookie".to_owned(), "session=1".to_owned())])] {
        let headers = own.clone().unwrap_or_default();
        let channel =
            ProfileChannel { applied: Some(came_in.clone()), headers: own, ..channel(fields.clone()) };
        let mut expected = Entry { url: "http://b/7".into(), headers, directives: Vec::new(), ..applied() };
        expected.tags.extend(tags(&[("x-own", "a")]));
        assert_eq!(channel.entry(ChannelNumbering::Own, 1), expected);
    }
}

#[test]
fn a_channel_of_no_playlist_has_its_categories_as_groups() {
    let fields = ChannelFields {
        title: "Ocho".into(),
        url: "http://h/8".into(),
        epg_id: Some("ocho".into()),
        image_url: None,
        number: Some(8),
    };
    let categories = vec!["Cine; series".into()];
    let entry = ProfileChannel { fields, applied: None, categories, headers: None, shift_minutes: None }
        .entry(ChannelNumbering::Own, 1);
    let expected = Entry {
        name: "Ocho".into(),
        url: "http://h/8".into(),
        groups: vec!["Cine, series".into()],
        tags: tags(&[("tvg-id", "ocho"), ("tvg-chno", "8")]),
        ..Entry::default()
    };
    assert_eq!(entry, expected);
}

#[test]
fn an_id_of_two_guides_is_unchanged_in_one_of_them() {
    for (guide, shared, expected) in
        [(Some(2), None, "7"), (Some(2), Some(2), "7"), (Some(3), Some(2), "7@3"), (None, Some(2), "7")]
    {
        assert_eq!(guide_id_in_profile("7".into(), guide, shared), expected);
    }
}

#[test]
fn a_published_id_is_read_as_the_id_of_its_guide_if_channels_have_it() {
    let shared = SharedIds::of(vec![("7".into(), 2), ("7".into(), 3)]);
    for (listed, expected) in
        [("7@3", "7"), ("7@2", "7"), ("7@4", "7@4"), ("8@3", "8@3"), ("7", "7"), ("", "")]
    {
        let mut entry = Entry { tags: tags(&[("x-own", "a"), ("tvg-id", listed)]), ..Entry::default() };
        shared.restore(&mut entry);
        assert_eq!(entry.tags, tags(&[("x-own", "a"), ("tvg-id", expected)]), "{listed}");
    }
    let mut without = Entry::default();
    shared.restore(&mut without);
    assert_eq!(without, Entry::default());
}

#[test]
fn numbers_are_the_channels_consecutive_or_none() {
    for (numbering, expected) in [
        (ChannelNumbering::Own, Some("07")),
        (ChannelNumbering::Consecutive, Some("3")),
        (ChannelNumbering::None, None),
    ] {
        let entry = channel(ChannelFields::of(&applied())).entry(numbering, 3);
        assert_eq!(entry.tag("tvg-chno"), expected, "{numbering:?}");
    }
}
