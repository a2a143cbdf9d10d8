//! Words with a known meaning in channel names: quality, remarks, numbers, countries, languages,
//! areas, insignificant words.

use super::fold::folded;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

type Table = HashMap<String, &'static str>;

/// Parses lines of `meaning: word word …`.
fn table(lines: &'static str) -> Table {
    let mut words = HashMap::new();
    for line in lines.lines().filter_map(|line| line.trim().split_once(':')) {
        for word in line.1.split_whitespace() {
            words.entry(folded(word)).or_insert(line.0);
        }
    }
    words
}

/// Picture quality and codecs; `2160p` and similar ones are parsed by their form.
const QUALITY: &[&str] = &[
    "sd", "hd", "fhd", "uhd", "qhd", "4k", "8k", "hevc", "h264", "h265", "x264", "x265", "avc", "hdr",
    "hdr10", "hq", "lq", "raw", "50fps", "60fps", "fullhd", "ultrahd", "hdtv", "vo",
];

/// Whether the folded word is a quality.
pub fn is_quality(word: &str) -> bool {
    if QUALITY.contains(&word) {
        return true;
    }
    let Some(lines) = word.strip_suffix(['p', 'i']) else { return false };
    (3..=4).contains(&lines.len()) && lines.bytes().all(|byte| byte.is_ascii_digit())
}

pub fn quality_rank(word: &str) -> u8 {
    match word {
        "sd" | "lq" | "576p" | "576i" | "540p" | "480p" | "480i" | "360p" | "240p" => 1,
        "hd" | "hq" | "hdtv" | "720p" | "1080i" => 2,
        "vo" | "raw" => 0,
        _ => 3,
    }
}

/// Remarks of lists in brackets about the link, not about the channel.
const REMARKS: &[&str] = &[
    "not",
    "24/7",
    "geo",
    "blocked",
    "geoblocked",
    "geo-blocked",
    "backup",
    "back",
    "up",
    "multi",
    "audio",
    "vip",
    "test",
    "offline",
    "online",
    "live",
    "free",
    "only",
    "event",
    "events",
    "alt",
    "alternative",
    "source",
    "src",
    "low",
    "high",
    "quality",
    "24",
    "7",
    "vod",
    "ott",
    "m3u",
    "local",
    "sub",
    "subs",
    "dub",
    "multisub",
    "res",
    "resolution",
    "dolby",
    "f",
    "g",
    "s",
    "h",
];

/// Whether a folded word within brackets is a remark about the link.
pub fn is_remark(word: &str) -> bool {
    REMARKS.contains(&word) || is_quality(word)
}

static NUMBERS: LazyLock<Table> = LazyLock::new(|| {
    table(
        "1: one uno eins jeden jedna bir egy один ett
         2: two dos deux zwei due dois dwa dva iki twee ii два zwo
         3: three tres trois drei tre trzy drie trei harom iii три
         4: four cuatro quatre quatro vier quattro cztery ctyri cetiri fyra dort iv четыре
         5: five cinco cinq cinque funf fuenf cinci viisi пять
         6: six seis sechs szesc шесть
         7: seven siete sept sieben sette sete siedem vii семь
         8: eight ocho huit acht otto oito viii восемь
         9: nine nueve neun nove ix девять
         10: ten diez dix zehn dieci dez
         11: eleven elf onze
         12: twelve doce douze zwolf zwoelf doze
         13: thirteen trece treize treze dreizehn",
    )
});

/// Number of a folded numeral.
pub fn number(word: &str) -> Option<&'static str> {
    NUMBERS.get(word).copied()
}

static SAME: LazyLock<Table> = LazyLock::new(|| {
    table(
        "tv: television televisione televisao televisie televisio televizija televize televizia televizyon telewizja televizioni televiziya тв телевидение تلفزيون تلفزيونيه
         channel: channels ch chnl chan チャンネル
         canal: canale canali canais chaine
         kanal: kanaal kanali kanaly канал kanala kanava kanalen
         频道: 電視台 电视台
         قناه: القناه
         network: netw
         sport: sports deportes deporte esporte esportes sporting
         movie: movies
         film: films filme filmes filmy
         kid: kids
         cartoon: cartoons
         serie: series serien seriale
         international: intl inter internacional internazionale internationale int
         entertainment: ent entertain entretenimiento
         junior: jr
         documentary: documentaries docs doc documentales documentary
         news: noticias nieuws notizie nachrichten
         music: musica musique musik muzyka
         premium: prem
         first: 1st
         and: y et und e og och si
         24: 24h
         plus: ＋",
    )
});

/// Canonical form of equivalent words (`sports` and `sport`, `ch` and `channel`).
pub fn canonical(word: &str) -> Option<&'static str> {
    SAME.get(word).copied()
}

/// Whether the canonical word means "channel" in some language: it is not distinguishing, but two
/// different ones count against a match.
pub fn is_head(word: &str) -> bool {
    matches!(word, "tv" | "channel" | "canal" | "kanal" | "频道" | "قناه" | "network" | "台")
}

/// Whether the canonical word is an article or a conjunction.
pub fn is_article(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "el"
            | "la"
            | "los"
            | "las"
            | "le"
            | "les"
            | "lo"
            | "il"
            | "al"
            | "de"
            | "del"
            | "da"
            | "do"
            | "di"
            | "du"
            | "des"
            | "den"
            | "das"
            | "der"
            | "die"
            | "of"
            | "en"
            | "and"
            | "a"
            | "o"
            | "i"
            | "l"
            | "d"
            | "in"
            | "ال"
    )
}

/// Word groups with a common abbreviation.
pub const PHRASES: &[(&[&str], &[&str])] = &[
    (&["nat", "geo"], &["national", "geographic"]),
    (&["natgeo"], &["national", "geographic"]),
    (&["deutsche", "welle"], &["dw"]),
    (&["full", "hd"], &["fhd"]),
    (&["ultra", "hd"], &["uhd"]),
    (&["sci", "fi"], &["scifi"]),
];

static PLACES: LazyLock<Table> = LazyLock::new(|| {
    table(
        "ae: uae emirates emiratos
         af: afghanistan afganistan
         al: albania shqiperia shqip
         am: armenia
         ar: argentina arg
         at: austria osterreich oesterreich
         au: australia aus
         az: azerbaijan azerbaycan
         ba: bosnia
         bd: bangladesh
         be: belgium belgica belgie belgique
         bg: bulgaria българия
         bh: bahrain bahrein
         bo: bolivia
         br: brazil brasil bra
         ca: canada
         ch: switzerland suiza schweiz suisse svizzera
         cl: chile
         cn: china 中国 中國
         co: colombia col
         cr: costarica
         cu: cuba
         cy: cyprus chipre kypros
         cz: czech czechia checa cesko
         de: germany alemania deutschland german deutsch aleman ger
         dk: denmark dinamarca danmark danish
         do: dominicana
         dz: algeria argelia algerie
         ec: ecuador
         ee: estonia eesti
         eg: egypt egipto masr misr مصر
         es: spain espana esp
         fi: finland finlandia suomi finnish
         fr: france francia fra
         gb: uk britain unitedkingdom england
         ge: georgia
         gr: greece grecia hellas ellada ελλαδα
         gt: guatemala
         hk: hongkong 香港
         hn: honduras
         hr: croatia croacia hrvatska
         hu: hungary hungria magyarorszag
         id: indonesia
         ie: ireland irlanda
         il: israel
         in: india
         iq: iraq العراق
         ir: iran
         is: iceland islandia
         it: italy italia ita
         jo: jordan jordania
         jp: japan japon 日本
         ke: kenya
         kr: korea corea
         kw: kuwait
         kz: kazakhstan
         lb: lebanon libano
         lk: srilanka
         lt: lithuania lituania lietuva
         lv: latvia letonia latvija
         ly: libya
         ma: morocco marruecos maroc المغرب
         md: moldova
         mk: macedonia
         mt: malta
         mx: mexico mex
         my: malaysia malasia malay
         ng: nigeria
         ni: nicaragua
         nl: netherlands holanda nederland holland ned
         no: norway noruega norge norwegian
         nz: newzealand
         om: oman
         pa: panama
         pe: peru
         ph: philippines filipinas pinoy
         pk: pakistan
         pl: poland polonia polska polish
         pt: portugal
         py: paraguay
         qa: qatar قطر
         ro: romania rumania
         rs: serbia srbija srpska
         ru: russia rusia россия
         sa: ksa saudi saudiarabia السعوديه
         se: sweden suecia sverige swedish
         sg: singapore singapur
         si: slovenia slovenija eslovenia
         sk: slovakia slovensko eslovaquia
         sn: senegal
         sv: elsalvador
         sy: syria siria
         th: thailand tailandia thai
         tn: tunisia tunez tunisie تونس
         tr: turkey turquia turkiye turk
         tw: taiwan 台湾 台灣
         ua: ukraine ucrania ukraina україна
         us: usa unitedstates
         uy: uruguay
         ve: venezuela
         vn: vietnam
         za: southafrica
         +asia: asia asian asiapacific apac southeastasia 亚洲
         +latam: latam latinamerica latinoamerica lat latino latina latin panregional
         +america: america americas
         +europe: europe europa eu euro emea
         +arab: mena arabia arab middleeast middleeastafrica gulf
         +africa: africa afrique
         +nordic: nordic nordics scandinavia
         +balkan: balkan balkans adria exyu
         +world: worldwide global
         *en: english ingles englisch anglais
         *es: spanish espanol castellano
         *fr: french francais frances
         *ar: arabic عربي arabe العربيه عربيه
         *pt: portuguese portugues
         *ru: russian русский
         *zh: chinese mandarin cantonese 中文
         *hi: hindi
         *ta: tamil
         *te: telugu
         *ml: malayalam
         *kn: kannada
         *mr: marathi
         *bn: bangla bengali
         *gu: gujarati
         *pa: punjabi
         *it: italian italiano
         *ja: japanese
         *ko: korean
         *tr: turkish turkce
         *fa: farsi persian فارسي",
    )
});

/// A country (`uy`), an area (`+asia`) or a language (`*fr`) by its folded name.
pub fn place(word: &str) -> Option<&'static str> {
    PLACES.get(word).copied()
}

static LANGUAGES: LazyLock<Table> = LazyLock::new(|| {
    table(
        "ar: ar ara arabic arabe عربي العربيه عربيه
         bg: bg bul bulgarian bulgaro
         bn: bn ben bangla bengali
         ca: ca cat catalan catala
         cs: cs ces cze czech checo
         da: da dan danish danes dansk
         de: de deu ger german deutsch aleman allemand
         el: el ell gre greek griego
         en: en eng english ingles englisch anglais
         es: es spa spanish espanol castellano
         eu: eu eus baq basque euskera euskara
         fa: fa fas per persian farsi فارسي
         fi: fi fin finnish finlandes
         fr: fr fra fre french francais frances
         gl: gl glg galician gallego galego
         gu: gu guj gujarati
         he: he heb hebrew hebreo
         hi: hi hin hindi
         hr: hr hrv croatian croata hrvatski
         hu: hu hun hungarian hungaro magyar
         id: id ind indonesian indonesio
         it: it ita italian italiano
         ja: ja jpn japanese japones
         kn: kn kan kannada
         ko: ko kor korean coreano
         ml: ml mal malayalam
         mr: mr mar marathi
         ms: ms msa may malay malayo
         nl: nl nld dut dutch neerlandes nederlands
         no: no nor nb nob nn nno norwegian noruego norsk
         pa: pa pan punjabi
         pl: pl pol polish polaco polski
         pt: pt por portuguese portugues
         ro: ro ron rum romanian rumano
         ru: ru rus russian ruso русский
         sk: sk slk slo slovak eslovaco
         sl: sl slv slovenian esloveno
         sq: sq sqi alb albanian albanes
         sr: sr srp serbian serbio
         sv: sv swe swedish sueco svenska
         ta: ta tam tamil
         te: te tel telugu
         th: th tha thai
         tr: tr tur turkish turco turkce
         uk: uk ukr ukrainian ucraniano
         ur: ur urd urdu
         vi: vi vie vietnamese vietnamita
         zh: zh zho chi cmn yue chinese chino mandarin cantonese 中文",
    )
});

/// The language of a folded code or name.
pub fn language(word: &str) -> Option<&'static str> {
    LANGUAGES.get(word).copied()
}

/// Countries of an area or of a language, as far as needed for lists of channels.
fn countries_of(place: &str) -> &'static str {
    match place {
        "+asia" => "sg my hk in id th ph vn tw kr jp cn pk bd lk mm kh au nz mo bn",
        "+latam" => "ar bo br cl co cr cu do ec gt hn mx ni pa pe py sv uy ve pr",
        "+america" => "us ca mx ar bo br cl co cr cu do ec gt hn ni pa pe py sv uy ve pr",
        "+europe" => {
            "ad al at ba be bg ch cy cz de dk ee es fi fr gb uk gr hr hu ie is it lt lu lv md me mk mt nl no pl pt ro rs se si sk ua"
        }
        "+arab" => "ae bh dz eg iq jo kw lb ly ma om ps qa sa sd sy tn ye",
        "+africa" => "za ng ke gh sn ci cm tz ug zm zw ao mz et dz ma tn eg bw na",
        "+nordic" => "se no dk fi is",
        "+balkan" => "rs hr ba si me mk al bg xk",
        "*en" => "us gb uk ie au nz ca sg in za ng ke ph my hk mt jm tt",
        "*es" => "es ar bo cl co cr cu do ec gt hn mx ni pa pe py sv uy ve pr us",
        "*fr" => "fr be ch ca sn ci ma dz tn lu re mq gp cm",
        "*ar" => "ae bh dz eg iq jo kw lb ly ma om ps qa sa sd sy tn ye",
        "*pt" => "pt br ao mz",
        "*ru" => "ru by kz ua",
        "*zh" => "cn tw hk sg mo my",
        "*it" => "it ch",
        "*ja" => "jp",
        "*ko" => "kr",
        "*tr" => "tr cy",
        "*fa" => "ir af",
        _ => "",
    }
}

/// Whether two places are equal or one contains the other.
pub fn places_agree(one: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| countries_of(outer).split(' ').any(|code| code == inner);
    one == other || within(one, other) || within(other, one) || (is_britain(one) && is_britain(other))
}

fn is_britain(code: &str) -> bool {
    code == "uk" || code == "gb"
}

const COUNTRIES: &str = " ad ae af ag al am ao ar at au aw az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cd cf cg \
ch ci cl cm cn co cr cu cv cw cy cz de dj dk dm do dz ec ee eg er es et fi fj fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr \
gt gu gy hk hn hr ht hu id ie il im in iq ir is it je jm jo jp ke kg kh kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc \
md me mg mk ml mm mn mo mq mr mt mu mv mw mx my mz na ne ng ni nl no np nz om pa pe pf pg ph pk pl pr ps pt pw py qa re ro rs \
ru rw sa sb sc sd se sg si sk sl sm sn so sr sv sy sz td tg th tj tl tm tn to tr tt tw tz ua ug uk us uy uz va vc ve vn vu ws \
xk ye yt za zm zw ";

static COUNTRY_CODES: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| COUNTRIES.split_whitespace().collect());

/// The country of a folded code; `tv` is a word.
pub fn country(code: &str) -> Option<&'static str> {
    COUNTRY_CODES.get(code).copied()
}

/// Kind of a prefix in front of a name in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefix {
    Country(&'static str),
    /// A mark of the list, a language or an area: "VIP", "EN".
    Mark,
}

/// Meaning of a folded word in front of a name; `None` for a part of the name.
pub fn prefix(word: &str) -> Option<Prefix> {
    // "AR" is Argentina or Arabic, "EN" is English.
    if matches!(
        word,
        "vip" | "en" | "ar" | "exyu" | "ott" | "24/7" | "4k" | "uhd" | "hd" | "fhd" | "sd" | "8k" | "hevc"
    ) {
        return Some(Prefix::Mark);
    }
    let country = country(word).or_else(|| place(word))?;
    Some(if country.starts_with(['+', '*']) { Prefix::Mark } else { Prefix::Country(country) })
}

/// Words of four letters that look like call signs.
pub fn is_no_call_sign(word: &str) -> bool {
    matches!(
        word,
        "kids"
            | "kiss"
            | "kino"
            | "kika"
            | "king"
            | "kick"
            | "kral"
            | "kult"
            | "kino1"
            | "knot"
            | "know"
            | "kool"
            | "west"
            | "wild"
            | "wine"
            | "wwe"
            | "word"
            | "work"
            | "wave"
            | "wion"
            | "wapa"
            | "warm"
            | "weather"
            | "well"
            | "what"
            | "wow"
            | "win"
            | "web"
            | "war"
            | "way"
            | "kbs"
            | "ktv"
            | "ktn"
            | "wtv"
            | "kix"
            | "kpop"
            | "kto"
            | "wpt"
            | "klan"
            | "knr"
            | "kcm"
            | "kan"
            | "kon"
            | "kun"
            | "kyk"
            | "kuku"
            | "city"
            | "cine"
            | "club"
            | "cnbc"
            | "clan"
            | "cbbc"
            | "chic"
            | "cctv"
            | "cgtn"
            | "cnn"
            | "cbs"
            | "kana"
            | "kirk"
            | "wish"
            | "wood"
            | "walk"
            | "with"
            | "wiki"
            | "wien"
            | "wdr"
            | "wrk"
            | "krk"
            | "wedo"
            | "wtf"
            | "wake"
            | "wonder"
    )
}
