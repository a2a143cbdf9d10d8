//! Base URLs: what the numeric ids of INTERNAL channels, and the streams of radio stations, are put behind.

use domain_kernel::Action;
use domain_kernel::Permission;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Kind, StreamUrl};

/// Whose base URL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseUrlOf {
    /// Live TV channels.
    Channels,
    /// Radio stations.
    RadioStations,
}

impl BaseUrlOf {
    /// Under which name it is kept, and answered beside `baseUrl`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Channels => "channelsBaseUrl",
            Self::RadioStations => "radioStationsBaseUrl",
        }
    }

    /// The path of its calls, without the slash.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Channels => "channels-base-url",
            Self::RadioStations => "radio-stations-base-url",
        }
    }

    /// The permission to do `action` with it: that of the kind it serves (docs/spec/settings.md#base-urls).
    pub const fn permission(self, action: Action) -> Permission {
        match self {
            Self::Channels => Kind::TvChannels.permission(action),
            Self::RadioStations => Kind::RadioStations.permission(action),
        }
    }
}

/// A base URL as it is set, or cleared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("required" = ["baseUrl"]))]
pub struct BaseUrl {
    /// The address; nothing clears it.
    #[garde(dive)]
    pub base_url: Option<StreamUrl>,
}
