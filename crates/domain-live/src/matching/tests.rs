use domain_kernel::Enumeration;
use proptest::{prop_assert, proptest};

use super::{GuideChannel, MatchLevel, MatchReason, Matched, Matcher, Thresholds, Wanted, index::Letters};

mod countries;

/// A guide of channels with one name each.
fn guide(channels: &[(&str, &str)]) -> Vec<GuideChannel> {
    channels
        .iter()
        .map(|(id, names)| GuideChannel {
            id: (*id).to_owned(),
            names: names.split('|').map(str::to_owned).collect(),
            ..GuideChannel::default()
        })
        .collect()
}

struct Found {
    matched: Matched,
    ids: Vec<String>,
}

impl Found {
    fn auto(&self) -> Option<&str> {
        (self.matched.level == MatchLevel::Auto).then(|| self.ids[0].as_str())
    }

    /// Reasons for and against a channel.
    fn reasons(&self, id: &str) -> (Vec<MatchReason>, Vec<MatchReason>) {
        let at = self
            .ids
            .iter()
            .position(|one| one == id)
            .unwrap_or_else(|| panic!("{id} is no candidate: {:?}", self.ids));
        let candidate = &self.matched.candidates[at];
        (candidate.for_.clone(), candidate.against.clone())
    }

    fn has_reason_for(&self, id: &str, reason: MatchReason) -> bool {
        self.reasons(id).0.contains(&reason)
    }

    fn has_reason_against(&self, id: &str, reason: MatchReason) -> bool {
        self.reasons(id).1.contains(&reason)
    }
}

fn find(channels: &[(&str, &str)], wanted: Wanted<'_>) -> Found {
    let channels = guide(channels);
    let matched = Matcher::new(&channels, Thresholds::default()).find(&wanted);
    let ids = matched.candidates.iter().map(|candidate| channels[candidate.channel].id.clone()).collect();
    Found { matched, ids }
}

fn named(name: &str) -> Wanted<'_> {
    Wanted { name, ..Wanted::default() }
}

fn with_id<'entry>(name: &'entry str, tvg_id: &'entry str) -> Wanted<'entry> {
    Wanted { name, tvg_id, ..Wanted::default() }
}

/// A guide with enough channels for words to be rare or frequent.
const GUIDE: &[(&str, &str)] = &[
    ("Farola.es", "Farola"),
    ("Farola.2.es", "Farola 2"),
    ("Farola.4.es", "Farola 4"),
    ("Farola.Deportes.es", "Farola Deportes"),
    ("Canal.Siete.HD.es", "Canal Siete HD"),
    ("Canal.Nueve.es", "Canal Nueve"),
    ("Marea.Azul.es", "Marea Azul TV"),
    ("Marea.Roja.es", "Marea Roja TV"),
    ("Cumbre.Noticias.es", "Cumbre Noticias"),
    ("Cumbre.Cine.es", "Cumbre Cine"),
    ("Kaldera.es", "Kaldera +1"),
    ("TV.Sierra.es", "TV Sierra"),
    ("Almendro.Internacional.es", "Almendro Internacional"),
];

#[test]
fn names_are_equal_apart_from_additions_of_lists() {
    for name in [
        "Marea Azul TV",
        "ES: Marea Azul TV",
        "|ES| MAREA AZUL TV FHD",
        "[ES] Marea Azul TV [720p]",
        "ES - Marea Azul TV 4K HEVC",
        "VIP ES: Marea Azul TV ᴴᴰ",
        "ES ▎ marea azul tv (1080p) [Not 24/7]",
        "Marea Azul TV Ⓖ",
        "Ｍａｒｅａ Ａｚｕｌ TV ◉",
        "Márea Àzul TV *",
        "MareaAzul TV",
        "Marea-Azul.TV",
        // Cyrillic letters that look like Latin ones.
        "Маrеа Аzul TV",
    ] {
        assert_eq!(find(GUIDE, named(name)).auto(), Some("Marea.Azul.es"), "{name}");
    }
    assert!(find(GUIDE, named("Marea Azul TV")).has_reason_for("Marea.Azul.es", MatchReason::NameEqual));
    let found = find(GUIDE, named("ES: Marea Azul TV HD"));
    assert!(found.has_reason_for("Marea.Azul.es", MatchReason::NameEqualWithoutQuality));
    assert!(found.has_reason_for("Marea.Azul.es", MatchReason::CountryAgrees));
}

#[test]
fn numbers_are_read_from_digits_words_and_roman_numerals() {
    for name in ["Canal 7", "Canal VII", "Canal Siete", "Canal 07 HD", "CANAL SEVEN"] {
        assert_eq!(find(GUIDE, named(name)).auto(), Some("Canal.Siete.HD.es"), "{name}");
    }
    assert_eq!(find(GUIDE, named("Farola Dos")).auto(), Some("Farola.2.es"));
    assert_eq!(find(GUIDE, named("Farola IV")).auto(), Some("Farola.4.es"));
}

#[test]
fn another_number_is_another_channel() {
    for name in ["Farola 1", "Farola 3", "Farola Tres HD", "ES: FAROLA III"] {
        let found = find(GUIDE, named(name));
        assert_eq!(found.auto(), None, "{name}");
        assert!(found.has_reason_against("Farola.2.es", MatchReason::NumberDiffers), "{name}");
    }
    assert_eq!(find(GUIDE, named("Farola")).auto(), Some("Farola.es"), "the family has one without a number");
}

#[test]
fn a_channel_shifted_by_an_hour_is_another_channel() {
    let found = find(GUIDE, named("Marea Azul TV +1"));
    assert_eq!(found.auto(), None);
    assert!(found.has_reason_against("Marea.Azul.es", MatchReason::ShiftDiffers));
    let found = find(GUIDE, named("Kaldera"));
    assert_eq!(found.auto(), None);
    for name in ["Kaldera +1", "Kaldera (+1)", "Kaldera+1 HD", "Kaldera +1h"] {
        assert_eq!(find(GUIDE, named(name)).auto(), Some("Kaldera.es"), "{name}");
    }
}

#[test]
fn east_and_west_are_two_channels() {
    let feeds = &[("1", "Kaldera East"), ("2", "Kaldera West"), ("3", "Tormo")];
    assert_eq!(find(feeds, named("Kaldera (East)")).auto(), Some("1"));
    assert_eq!(find(feeds, named("KALDERA WEST HD")).auto(), Some("2"));
    assert_eq!(find(feeds, named("Kaldera")).auto(), None);
    assert!(find(&feeds[1..], named("Kaldera East")).has_reason_against("2", MatchReason::ShiftDiffers));
}

#[test]
fn a_plus_is_a_word_where_it_is_no_shift() {
    let plus = &[("1", "Almena+"), ("2", "Almena"), ("3", "Almena+ 1"), ("4", "Brisa")];
    assert_eq!(find(plus, named("Almena + HD")).auto(), Some("1"));
    assert_eq!(find(plus, named("Almena Plus")).auto(), Some("1"));
    assert_eq!(find(plus, named("Almena")).auto(), Some("2"));
    assert_eq!(find(plus, named("Almena+ 1")).auto(), Some("3"));
    assert_eq!(find(&plus[1..2], named("Almena+")).auto(), None);
}

#[test]
fn tv_and_canal_before_the_same_word_are_two_channels() {
    let found = find(&[("1", "Canal Norte"), ("2", "Canal Sierra"), ("3", "TV Valle")], named("TV Norte"));
    assert_eq!(found.auto(), None);
    assert_eq!(found.ids[0], "1", "shown, and not linked");
    let found = find(&[("1", "Norte TV"), ("2", "Canal Sierra")], named("TV Norte"));
    assert_eq!(found.auto(), None);
    let found = find(&[("1", "Canal Norte"), ("2", "TV Norte")], named("TV Norte HD"));
    assert_eq!(found.auto(), Some("2"));
    assert_eq!(
        find(GUIDE, named("Sierra")).auto(),
        Some("TV.Sierra.es"),
        "one of the two names has no such word"
    );
}

#[test]
fn a_number_alone_needs_the_same_words_beside_it() {
    let channels = &[("1", "Canal 5"), ("2", "Canal 8"), ("3", "Farola")];
    assert_eq!(find(channels, named("La 5")).auto(), None);
    assert_eq!(find(channels, named("5")).auto(), None);
    assert_eq!(find(channels, named("TV 5")).auto(), None);
    assert_eq!(find(channels, named("Canal 5 HD")).auto(), Some("1"));
    assert_eq!(find(&[("1", "Channel 5"), ("2", "Farola")], named("Ch 5")).auto(), Some("1"));
}

#[test]
fn an_id_that_contradicts_the_name_goes_to_review() {
    let found = find(GUIDE, with_id("Cumbre Cine", "Farola.es"));
    assert_eq!(found.matched.level, MatchLevel::Review);
    assert!(found.has_reason_against("Farola.es", MatchReason::IdContradictsName));
    assert!(found.has_reason_for("Farola.es", MatchReason::IdEqual));
    assert!(found.has_reason_against("Cumbre.Cine.es", MatchReason::IdContradictsName));
    let found = find(GUIDE, with_id("Otra Cosa", "Farola.es"));
    assert_eq!(found.matched.level, MatchLevel::Review, "nothing else fits");
    let found = find(GUIDE, with_id("Farola 2", "Farola.4.es"));
    assert_eq!(found.auto(), None);
}

#[test]
fn an_equal_id_helps_a_name_that_has_something_in_common() {
    let found = find(GUIDE, with_id("Cumbre 24h Noticias", "Cumbre.Noticias.es"));
    assert!(found.has_reason_against("Cumbre.Noticias.es", MatchReason::NumberDiffers));
    let found = find(GUIDE, with_id("Almendro", "Almendro.Internacional.es"));
    assert_eq!(found.auto(), Some("Almendro.Internacional.es"));
    assert!(found.has_reason_for("Almendro.Internacional.es", MatchReason::IdEqual));
    assert_eq!(find(GUIDE, named("Almendro")).auto(), None, "without the id it is for review");
    let found = find(GUIDE, with_id("101", "Farola.es"));
    assert_ne!(found.matched.level, MatchLevel::None, "a number alone says nothing against an id");
}

#[test]
fn ids_are_equal_apart_from_the_feed_and_hold_names() {
    let channels = &[("MareaAzul.es@SD", "Azul"), ("Tormo.es@SD", "Tormo"), ("77", "Canal Siete")];
    let found = find(channels, with_id("Azul", "MareaAzul.es"));
    assert_eq!(found.auto(), Some("MareaAzul.es@SD"));
    assert!(found.has_reason_for("MareaAzul.es@SD", MatchReason::IdEqualWithoutFeed));
    let found = find(channels, named("Marea Azul"));
    assert_eq!(found.auto(), Some("MareaAzul.es@SD"), "the id says the name");
    assert!(found.has_reason_for("MareaAzul.es@SD", MatchReason::Alias));
    assert_eq!(find(channels, with_id("Canal 7", "CanalSiete.es")).auto(), Some("77"));
}

#[test]
fn different_call_signs_are_different_stations() {
    let channels = &[("1", "Brisa (KQZX)"), ("2", "Brisa (WQZX)"), ("3", "KVBT-DT"), ("4", "Farola")];
    let found = find(channels, named("Brisa KQZX-TV"));
    assert_eq!(found.ids[0], "1");
    assert!(found.has_reason_for("1", MatchReason::CallSign));
    assert!(found.has_reason_against("2", MatchReason::CallSignDiffers));
    assert_eq!(find(&channels[1..], named("Brisa KQZX-TV")).auto(), None);
}

#[test]
fn typing_errors_are_allowed_beside_an_equal_word() {
    let found = find(GUIDE, named("Cumbre Notisias"));
    assert_eq!(found.ids[0], "Cumbre.Noticias.es");
    assert!(found.has_reason_for("Cumbre.Noticias.es", MatchReason::Letters));
    let found = find(&[("1", "Colina TV"), ("2", "Farola")], named("Molina TV"));
    assert_eq!(found.auto(), None, "one letter alone makes another channel");
}

#[test]
fn names_that_are_cut_off_are_recognised() {
    let channels = &[("1", "Al Bahr Wal J..."), ("2", "Farola"), ("3", "Al Bahr")];
    assert_eq!(find(channels, named("Al Bahr Wal Jabal HD")).auto(), Some("1"));
    assert_eq!(find(channels, named("Al Bahr")).auto(), Some("3"));
}

#[test]
fn matches_by_initials_go_to_review() {
    let found = find(&[("1", "Brisa Clásica Mundial"), ("2", "Farola")], named("BCM HD"));
    assert_eq!((found.matched.level, found.ids[0].as_str()), (MatchLevel::Review, "1"));
}

#[test]
fn rare_words_weigh_more_than_frequent_ones() {
    let found = find(GUIDE, named("Marea"));
    assert_eq!(found.auto(), None, "two share it");
    let found = find(GUIDE, named("Azul"));
    assert_eq!((found.auto(), found.ids[0].as_str()), (None, "Marea.Azul.es"));
    assert!(found.has_reason_for("Marea.Azul.es", MatchReason::Words));
    assert_eq!(find(GUIDE, named("Canal TV")).auto(), None);
    assert_eq!(find(GUIDE, named("Inexistente")).matched.level, MatchLevel::None);
}

#[test]
fn other_scripts_are_read() {
    let channels = &[
        ("1", "Россия Культура"),
        ("2", "チャンネル銀河"),
        ("3", "قناة النيل الأولى"),
        ("4", "Ελλάδα Σπορ"),
        ("5", "翡翠電影台"),
        ("6", "ミズーミ４"),
    ];
    assert_eq!(find(channels, named("RU: Rossiya Kultura")).auto(), Some("1"));
    assert_eq!(find(channels, named("JP: チャンネル銀河 歴史ドラマ・サスペンス・うた HD")).auto(), Some("2"));
    assert_eq!(find(channels, named("EG: قناه النيل الاولي")).auto(), Some("3"));
    assert_eq!(find(channels, named("GR - ΕΛΛΑΔΑ ΣΠΟΡ")).auto(), Some("4"));
    assert_eq!(find(channels, named("翡翠电影台")).auto(), Some("5"));
    assert_eq!(find(channels, named("ミスーミ4 HD")).auto(), Some("6"), "lists drop the marks");
    assert_eq!(find(channels, named("ミズーミ5")).auto(), None);
}

#[test]
fn a_channel_listed_twice_with_equal_names_is_linked() {
    let channels = &[("1", "Marea Azul HD"), ("2", "Marea Azul HD"), ("3", "Farola")];
    assert_eq!(find(channels, named("Marea Azul HD")).auto(), Some("1"));
    let channels = &[("1", "Marea Azul"), ("2", "Marea Azul HD"), ("3", "Farola")];
    assert_eq!(find(channels, named("Marea Azul HD")).auto(), Some("2"), "the one with the same quality");
    assert_eq!(find(channels, named("Marea Azul")).auto(), Some("1"));
}

#[test]
fn up_to_five_candidates_are_listed_best_first() {
    let channels: Vec<(String, String)> =
        (1..=9).map(|number| (number.to_string(), format!("Marea {number}"))).collect();
    let channels: Vec<(&str, &str)> =
        channels.iter().map(|(id, name)| (id.as_str(), name.as_str())).collect();
    let found = find(&channels, named("Marea"));
    assert_eq!(found.ids.len(), 5);
    let scores: Vec<u8> = found.matched.candidates.iter().map(|candidate| candidate.score).collect();
    assert!(scores.is_sorted_by(|one, other| one >= other) && scores.iter().all(|score| *score <= 100));
    assert_eq!(find(&channels, named("Marea 7")).auto(), Some("7"));
}

#[test]
fn thresholds_are_settings() {
    let channels = guide(GUIDE);
    let level = |auto| {
        Matcher::new(&channels, Thresholds { auto, review: 40, lead: 6 }).find(&named("Almendro")).level
    };
    assert_eq!(level(86), MatchLevel::Review);
    assert_eq!(level(40), MatchLevel::Auto);
    let strict = Matcher::new(&channels, Thresholds { auto: 100, review: 100, lead: 6 });
    assert_eq!(strict.find(&named("Almendro")).level, MatchLevel::None);
}

#[test]
fn any_text_is_compared_without_a_panic() {
    let long = "ñandú ".repeat(5_000);
    for name in [
        "",
        " ",
        "|||",
        "[]",
        "[ES]",
        "ES:",
        "+1",
        "+",
        "...",
        "(",
        ")",
        "HD",
        "4K HEVC",
        "📺 📺",
        "\u{0}",
        "+ + +",
        "- -",
        &long,
    ] {
        for id in ["", ".", "@", ".es", "@SD", "a@b@c.es", "\u{202E}"] {
            let found = find(GUIDE, with_id(name, id));
            assert_ne!(found.matched.level, MatchLevel::Auto, "{name} {id}");
        }
    }
    let empty = Matcher::new(&[], Thresholds::default());
    assert_eq!(empty.find(&named("Marea")).level, MatchLevel::None);
    assert_eq!(find(&[("", ""), ("", " ")], with_id("", "")).matched.level, MatchLevel::None);
}

#[test]
fn every_reason_has_a_sentence_in_both_languages() {
    for reason in MatchReason::ALL {
        let labels = reason.labels();
        assert!(
            labels.spanish.split(' ').count() > 2 && labels.english.split(' ').count() > 2,
            "{}",
            reason.code()
        );
    }
}

/// The project's own data set: invented channels in a dozen languages, with the spellings of lists
/// and with similar channels that the guide lacks.
#[test]
fn precision_and_recall_reach_their_goals_on_our_data_set() {
    let rows = |text: &'static str| {
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>())
    };
    let channels: Vec<GuideChannel> = rows(include_str!("truth/guide.tsv"))
        .map(|row| GuideChannel {
            id: row[0].to_owned(),
            names: vec![row[1].to_owned()],
            ..GuideChannel::default()
        })
        .collect();
    let matcher = Matcher::new(&channels, Thresholds::default());
    let (mut right, mut wrong, mut false_links, mut missed, mut shown, mut absent) =
        (0_u32, 0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
    let mut errors = Vec::new();
    for row in rows(include_str!("truth/entries.tsv")) {
        let matched = matcher.find(&with_id(row[0], row[1]));
        let ids: Vec<&str> =
            matched.candidates.iter().map(|candidate| channels[candidate.channel].id.as_str()).collect();
        let auto = ids.first().copied().filter(|_| matched.level == MatchLevel::Auto);
        let accepted = row[2];
        shown += u32::from(!accepted.is_empty() && ids.iter().take(3).any(|id| *id == accepted));
        absent += u32::from(accepted.is_empty());
        match auto {
            Some(id) if id == accepted => right += 1,
            Some(id) => {
                errors.push(format!("{} -> {id}", row[0]));
                if accepted.is_empty() { false_links += 1 } else { wrong += 1 }
            }
            None if accepted.is_empty() => {}
            None => missed += 1,
        }
    }
    let present = right + wrong + missed;
    let share = |part: u32, all: u32| f64::from(part) / f64::from(all);
    let figures = [
        share(right, right + wrong + false_links),
        share(right, present),
        share(false_links, absent),
        share(shown, present),
    ];
    let [precision, recall, false_share, reviewed] = figures;
    assert!(
        precision >= 0.98 && recall >= 0.80 && false_share <= 0.015 && reviewed >= 0.95,
        "{figures:?} {errors:?}"
    );
}

proptest! {
    #[test]
    fn words_with_a_few_typing_errors_are_compared(one in "[abcñ電1]{0,7}", other in "[abcñ電1]{0,7}") {
        let errors = u32::try_from(strsim::osa_distance(&one, &other)).unwrap();
        prop_assert!(Letters::of(&one).may_differ_by(Letters::of(&other), errors));
    }
}
