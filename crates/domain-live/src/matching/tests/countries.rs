//! Countries and languages of entries and of guides' channels.

use super::{find, guide, named};
use crate::{
    entry::TagName,
    guide::Localized,
    matching::{
        GuideChannel, ListEntry, MatchLevel, MatchReason, Matcher, Thresholds, Wanted, countries_of_entry,
        countries_of_tag, country_of_group, languages_of_entry,
    },
};

#[test]
fn one_name_in_two_countries_needs_the_country() {
    let channels = &[
        ("Antorcha.es", "Antorcha"),
        ("Antorcha.ro", "Antorcha"),
        ("Brisa.es", "Brisa"),
        ("Tormo.ro", "Tormo"),
        ("Vega.pt", "Vega"),
    ];
    let found = find(channels, named("Antorcha HD"));
    assert_eq!(found.auto(), None);
    assert!(found.has_reason_against(&found.ids[0], MatchReason::SecondTooNear));
    assert_eq!(find(channels, named("RO: Antorcha HD")).auto(), Some("Antorcha.ro"));
    assert_eq!(
        find(channels, Wanted { name: "Antorcha", countries: &["es"], ..Wanted::default() }).auto(),
        Some("Antorcha.es")
    );
    let found = find(&channels[1..], named("ES: Antorcha"));
    assert_eq!(found.auto(), None);
    assert!(found.has_reason_against("Antorcha.ro", MatchReason::CountryDiffers));
}

#[test]
fn a_region_or_a_language_that_fits_nothing_is_another_channel() {
    let channels =
        &[("1", "Brisa Asia"), ("2", "Tormo (French)"), ("3", "Tormo (English)"), ("4", "Vega Wales")];
    let found = find(channels, Wanted { name: "Brisa", countries: &["es"], ..Wanted::default() });
    assert_eq!(found.auto(), None);
    assert!(found.has_reason_against("1", MatchReason::RegionDiffers));
    assert_eq!(find(channels, named("SG: Brisa")).auto(), Some("1"), "Singapore is in Asia");
    assert_eq!(find(channels, named("Tormo French HD")).auto(), Some("2"));
    assert_eq!(find(channels, named("Tormo")).auto(), None);
    assert!(find(&channels[..2], named("Tormo Arabic")).has_reason_against("2", MatchReason::RegionDiffers));
    assert_eq!(find(channels, named("Vega")).auto(), None, "a word that is missing is another channel");
}

#[test]
fn groups_name_countries() {
    for (group, country) in [
        ("Uruguay", Some("uy")),
        ("香港", Some("hk")),
        ("Saudi Arabia", Some("sa")),
        ("Movies", None),
        ("Asia", None),
    ] {
        assert_eq!(country_of_group(group), country, "{group}");
    }
}

#[test]
fn a_tag_names_countries_by_codes_and_names() {
    for (tag, countries) in [
        ("ES", &["es"][..]),
        ("es", &["es"]),
        (" Es ", &["es"]),
        ("ES;FR", &["es", "fr"]),
        ("es, fr,ES", &["es", "fr"]),
        ("AR UY", &["ar", "uy"]),
        ("UK", &["uk"]),
        ("Spain", &["es"]),
        ("South Africa; Corea", &["za", "kr"]),
        ("South Korea", &["kr"]),
        ("Norte de Chile", &["cl"]),
        ("香港", &["hk"]),
        ("INT;RO", &["ro"]),
        // Unknown countries are ignored.
        ("INT", &[]),
        ("XX", &[]),
        ("EU", &[]),
        ("Asia", &[]),
        ("French", &[]),
        ("Isla de los Mundos", &[]),
        (";, ", &[]),
        ("", &[]),
    ] {
        assert_eq!(countries_of_tag(tag), countries, "{tag}");
    }
}

fn entry(tags: &[(&str, &str)], group: &str) -> ListEntry {
    let tags = tags.iter().map(|(name, value)| (TagName::new(name), (*value).to_owned())).collect();
    ListEntry { tags, groups: vec![group.to_owned()], ..ListEntry::default() }
}

#[test]
fn a_group_names_the_country_where_the_tag_names_none() {
    for (tag, group, countries) in
        [("RO", "Spain", &["ro"][..]), ("INT", "Spain", &["es"]), ("", "Spain", &["es"]), ("", "Cine", &[])]
    {
        assert_eq!(countries_of_entry(&entry(&[("tvg-country", tag)], group)), countries, "{tag} {group}");
    }
}

#[test]
fn the_country_of_a_tag_keeps_one_name_in_two_countries_apart() {
    let channels = &[("Antorcha.ro", "Antorcha"), ("Brisa.es", "Brisa"), ("Vega.pt", "Vega")];
    let tagged = |channels: &[(&str, &str)], tag: &str| {
        let countries = countries_of_entry(&entry(&[("tvg-country", tag)], "Cine"));
        find(channels, Wanted { name: "Antorcha", countries: &countries, ..Wanted::default() })
    };
    for tag in ["ES", "es", "Spain", "ES;PT"] {
        for channels in [&channels[..], &channels[..1]] {
            let found = tagged(channels, tag);
            assert_eq!(found.matched.level, MatchLevel::Review, "{tag}");
            assert!(found.has_reason_against("Antorcha.ro", MatchReason::CountryDiffers), "{tag}");
        }
    }
    for tag in ["RO", "ro", "ES;RO", "ES, ro", "es ro"] {
        let found = tagged(channels, tag);
        assert_eq!(found.auto(), Some("Antorcha.ro"), "{tag}");
        assert!(found.has_reason_for("Antorcha.ro", MatchReason::CountryAgrees), "{tag}");
    }
    for tag in ["", "INT", "XX", "Mundo"] {
        let found = tagged(channels, tag);
        assert_eq!(found.auto(), Some("Antorcha.ro"), "{tag}");
        assert!(!found.has_reason_for("Antorcha.ro", MatchReason::CountryAgrees), "{tag}");
    }
    let both = &[("Antorcha.ro", "Antorcha"), ("Antorcha.es", "Antorcha"), ("Vega.pt", "Vega")];
    assert_eq!(tagged(both, "ES").auto(), Some("Antorcha.es"));
    assert_eq!(tagged(both, "ES;RO").auto(), None, "both agree");
}

#[test]
fn a_tag_names_languages_by_codes_and_names() {
    for (tag, languages) in [
        ("French", &["fr"][..]),
        ("fr", &["fr"]),
        ("FRA", &["fr"]),
        ("pt-BR", &["pt"]),
        ("es-AR;en_GB", &["es", "en"]),
        ("Español, Inglés", &["es", "en"]),
        ("Brazilian Portuguese", &["pt"]),
        ("Mandarin", &["zh"]),
        ("xx", &[]),
        ("Undefined", &[]),
        ("", &[]),
    ] {
        assert_eq!(languages_of_entry(&entry(&[("tvg-language", tag)], "Cine")), languages, "{tag}");
    }
}

fn spoken<'entry>(name: &'entry str, languages: &'entry [&'static str]) -> Wanted<'entry> {
    Wanted { name, languages, ..Wanted::default() }
}

#[test]
fn the_language_of_an_entry_says_which_of_the_languages_in_names_is_meant() {
    let channels =
        &[("2", "Tormo (French)"), ("3", "Tormo (English)"), ("4", "Vega Deutsch"), ("5", "Brisa Germany")];
    assert_eq!(find(channels, spoken("Tormo", &["fr"])).auto(), Some("2"));
    let found = find(channels, spoken("Tormo HD", &["en"]));
    assert_eq!(found.auto(), Some("3"));
    assert!(found.has_reason_against("2", MatchReason::RegionDiffers));
    assert_eq!(find(channels, spoken("Vega", &["de"])).auto(), Some("4"));
    for (name, languages) in
        [("Tormo", &["ar"][..]), ("Tormo", &[]), ("Tormo", &["fr", "en"]), ("Brisa", &["de"])]
    {
        assert_eq!(find(channels, spoken(name, languages)).auto(), None, "{name} {languages:?}");
    }
    assert_eq!(find(channels, spoken("Tormo (English)", &["fr"])).auto(), Some("3"), "the name says so");
    let plain = &[("1", "Tormo"), ("2", "Vega")];
    assert_eq!(find(plain, spoken("Tormo (French)", &["fr"])).auto(), None, "the guide's may be in another");
}

#[test]
fn a_channel_has_the_languages_of_its_names() {
    let name = |language: Option<&str>, text: &str| Localized {
        language: language.map(str::to_owned),
        text: text.to_owned(),
    };
    let names = vec![name(Some("en-GB"), "Tormo"), name(None, "Tormo 1"), name(Some("en-GB"), "Tormo One")];
    let channel = GuideChannel::new("1".to_owned(), names);
    assert_eq!(channel.names, ["Tormo", "Tormo 1", "Tormo One"]);
    assert_eq!(channel.languages, ["en-GB"]);
}

#[test]
fn the_languages_of_a_guides_names_decide_between_equal_ones_alone() {
    let auto = |languages: [&str; 2], wanted: &[&'static str]| {
        let channel = |id: &str, language: &str| GuideChannel {
            id: id.to_owned(),
            names: vec!["Tormo".to_owned()],
            languages: language.split_whitespace().map(str::to_owned).collect(),
            ..GuideChannel::default()
        };
        let channels = [channel("Tormo.fr", languages[0]), channel("Tormo.ca", languages[1])];
        let matched = Matcher::new(&channels, Thresholds::default()).find(&spoken("Tormo", wanted));
        (matched.level == MatchLevel::Auto).then(|| channels[matched.candidates[0].channel].id.clone())
    };
    let second = Some("Tormo.ca".to_owned());
    assert_eq!(auto(["fr", "en-CA"], &["en"]), second);
    assert_eq!(auto(["fr", "fr en"], &["en", "de"]), second);
    for (languages, wanted) in [
        (["fr", "en"], &["fr", "en"][..]),
        (["fr", "en"], &[]),
        (["fr", "en"], &["de"]),
        (["en", "en"], &["en"]),
        (["", "en"], &["en"]),
        (["fr", ""], &["en"]),
    ] {
        assert_eq!(auto(languages, wanted), None, "{languages:?} {wanted:?}");
    }
    // They never outweigh a clear difference.
    let mut channels = guide(&[("1", "Tormo"), ("2", "Vega")]);
    channels[0].languages = vec!["en".to_owned()];
    let found = Matcher::new(&channels, Thresholds::default()).find(&spoken("Tormo", &["fr"]));
    assert_eq!((found.level, found.candidates[0].against.len()), (MatchLevel::Auto, 0));
}
