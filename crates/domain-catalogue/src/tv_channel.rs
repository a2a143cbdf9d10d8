//! Live TV channels (docs/spec/content-types.md#tv-channels).

use domain_kernel::{Code, FilterKind, Id, Today, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CategoryType, Content, Kind, Reference, StreamUrl, WebUrl,
    listing::{MISSING_OF_CHANNELS, filters},
    rules::{an_id, unique, yes},
};

enumeration! {
    /// Type of a channel's URL.
    pub enum UrlType {
        Internal = "INTERNAL" ("Interna", "Internal"),
        External = "EXTERNAL" ("Externa", "External"),
    }
}

/// A live TV channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct TvChannel {
    /// Number on the remote control. Not unique.
    #[garde(range(min = 0))]
    pub channel_number: i32,
    /// Its name.
    #[garde(length(chars, min = 1, max = 255))]
    pub title: String,
    /// Guide with its programmes.
    #[garde(inner(custom(an_id)))]
    #[schemars(extend("x-guide" = true))]
    pub tv_guide_id: Option<Id>,
    /// Categories, of type TV_CHANNEL: at least one, without repetitions; lists show the first.
    #[garde(length(min = 1, max = 50), inner(custom(an_id)), custom(unique))]
    #[schemars(extend("x-category" = "TV_CHANNEL"))]
    pub categories: Vec<Id>,
    /// Id in the guide.
    #[garde(inner(length(chars, max = 1000)))]
    #[schemars(length(max = 1000))]
    pub epg_id: Option<String>,
    /// Its logo.
    #[garde(dive(&()))]
    pub image_url: Option<WebUrl>,
    /// Whether viewers see it.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
    /// For adults only.
    #[garde(skip)]
    #[serde(default)]
    pub adult_content: bool,
    /// Fit for children.
    #[garde(skip)]
    #[serde(default)]
    pub kids_content: bool,
    /// Type of `url`.
    #[garde(skip)]
    #[schemars(extend("x-initial" = "EXTERNAL"))]
    pub url_type: UrlType,
    /// URL of a stream if EXTERNAL; numeric channel id after the channels' base URL, if INTERNAL.
    #[garde(custom(address_of(self.url_type)))]
    #[schemars(length(max = 2048), extend("x-address" = "urlType"))]
    pub url: String,
}

/// The URL must match the type; each type has its own error.
pub(crate) fn address_of<T>(url_type: UrlType) -> impl FnOnce(&String, &T) -> garde::Result {
    move |url, _| match url_type {
        _ if url.is_empty() => Err(fault(Code::Required, &[])),
        UrlType::External => StreamUrl::check(url),
        UrlType::Internal => {
            let numeric = url.len() <= 18 && url.bytes().all(|byte| byte.is_ascii_digit());
            if numeric { Ok(()) } else { Err(fault(Code::NotNumeric, &[])) }
        }
    }
}

impl Content for TvChannel {
    const KIND: Kind = Kind::TvChannels;
    const OMITTED_FROM_LIST: &'static [&'static str] = &[];
    const SORTS: &'static [&'static str] = &["channelNumber", "title", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] = filters![
        ("startsWith", FilterKind::Text),
        ("active", FilterKind::Flag),
        ("duplicated", FilterKind::Flag),
        ("channelNumber", FilterKind::Number),
        ("categoryId", FilterKind::References),
        ("tvGuideId", FilterKind::Reference),
        ("missing", MISSING_OF_CHANNELS),
        ("sameAddress", FilterKind::Flag),
        ("url", FilterKind::Text),
        ("adultContent", FilterKind::Flag),
        ("kidsContent", FilterKind::Flag),
    ];
    const FOREIGN_KEYS: &'static [(&'static str, Kind)] =
        &[("categories", Kind::Categories), ("tvGuideId", Kind::TvGuides)];

    const NATURAL_KEY: &'static [&'static str] = &["channelNumber", "title"];

    fn natural_key(&self) -> String {
        format!("{}\n{}", self.channel_number, self.title.to_lowercase())
    }

    fn search_text(&self) -> String {
        format!("{}\n{}", self.channel_number, self.title)
    }

    fn name(&self) -> String {
        self.title.clone()
    }

    fn active(&self) -> bool {
        self.active
    }

    fn references(&self) -> Vec<Reference> {
        let categories =
            self.categories.iter().map(|id| Reference::category("categories", *id, CategoryType::TvChannel));
        let guide = self.tv_guide_id.map(|id| Reference::item("tvGuideId", Kind::TvGuides, id));
        categories.chain(guide).collect()
    }

    fn sample() -> Self {
        Self {
            channel_number: 7,
            title: "Canal Siete".into(),
            tv_guide_id: Some(1),
            categories: vec![1],
            epg_id: Some("CanalSiete.es".into()),
            image_url: Some(WebUrl("https://images.example.com/siete.png".into())),
            active: true,
            adult_content: false,
            kids_content: false,
            url_type: UrlType::External,
            url: "https://live.example.com/siete.m3u8".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_matches_the_type() {
        for (url_type, url, code) in [
            (UrlType::External, "https://live.example.com/7.m3u8", None),
            (UrlType::External, "103451", Some(Code::InvalidUrl)),
            (UrlType::External, "javascript:alert(1)", Some(Code::InvalidScheme)),
            (UrlType::Internal, "103451", None),
            (UrlType::Internal, "https://live.example.com/7.m3u8", Some(Code::NotNumeric)),
            (UrlType::Internal, "１２", Some(Code::NotNumeric)),
            (UrlType::Internal, "-1", Some(Code::NotNumeric)),
            (UrlType::Internal, "", Some(Code::Required)),
        ] {
            let channel = TvChannel { url_type, url: url.into(), ..TvChannel::sample() };
            let today = Today(chrono::NaiveDate::from_ymd_opt(2026, 11, 20).unwrap());
            let found = domain_kernel::checked(channel, &today).err().map(|all| all.0[0].code);
            assert_eq!(found, code, "{url_type:?} {url}");
        }
    }
}
