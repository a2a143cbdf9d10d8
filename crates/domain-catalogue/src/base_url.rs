//! Base URLs of the numeric ids of INTERNAL channels, and of the streams of radio stations.

use domain_kernel::Action;
use domain_kernel::Permission;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Kind, StreamUrl};

/// Subject of a base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseUrlOf {
    Channels,
    RadioStations,
}

impl BaseUrlOf {
    /// Its storage key, and its field in responses besides `baseUrl`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Channels => "channelsBaseUrl",
            Self::RadioStations => "radioStationsBaseUrl",
        }
    }

    /// Path of its endpoints, without the slash.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Channels => "channels-base-url",
            Self::RadioStations => "radio-stations-base-url",
        }
    }

    /// Permission for an action on it: that of the kind (docs/spec/settings.md#base-urls).
    pub const fn permission(self, action: Action) -> Permission {
        match self {
            Self::Channels => Kind::TvChannels.permission(action),
            Self::RadioStations => Kind::RadioStations.permission(action),
        }
    }
}

/// A base URL; null clears it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("required" = ["baseUrl"]))]
pub struct BaseUrl {
    /// The URL; null clears it.
    #[garde(dive)]
    pub base_url: Option<StreamUrl>,
}
