//! Which channel of a guide a channel of the catalogue uses: the one with its `epgId` in its active guide. Everything that needs
//! to know joins by this (docs/adr/0033-links-of-channels.md).

/// Joins behind a table of channels with this alias: its guide `t`, and the channel `g` of the guide that it is linked with; both
/// are empty where there is none.
macro_rules! linked {
    ($channel:literal) => {
        concat!(
            " LEFT JOIN tv_guides t ON t.id = ",
            $channel,
            ".tv_guide_id LEFT JOIN guide_channels g ON g.guide_id = t.id AND g.xml_id = ",
            $channel,
            ".epg_id AND t.active"
        )
    };
}

pub(crate) use linked;
