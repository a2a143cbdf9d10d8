//! Items created from entries.

use domain_catalogue::{RadioStation, Stored, TvChannel};
use domain_live::{channel::ChannelFields, entry::Entry};

/// An item created from an entry.
pub(super) enum Item {
    Channel(Box<Stored<TvChannel>>),
    Radio(Box<Stored<RadioStation>>),
}

impl Item {
    /// Fields that entries can set. A radio station has neither number nor guide: those are as
    /// applied.
    pub(super) fn fields(&self, applied: &Entry) -> ChannelFields {
        match self {
            Self::Channel(channel) => {
                let channel = &channel.content;
                ChannelFields {
                    title: channel.title.clone(),
                    url: channel.url.clone(),
                    epg_id: channel.epg_id.clone(),
                    image_url: channel.image_url.as_ref().map(|url| url.0.clone()),
                    number: Some(channel.channel_number),
                }
            }
            Self::Radio(station) => {
                let station = &station.content;
                ChannelFields {
                    title: station.station_name.clone(),
                    url: station.stream_url.0.clone(),
                    image_url: station.station_logo.as_ref().map(|url| url.0.clone()),
                    ..ChannelFields::of(applied)
                }
            }
        }
    }
}
