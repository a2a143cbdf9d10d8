//! Probes HLS: a media playlist must have segments, the newest one must be media, and a live one
//! must have a new segment.

use domain_live::link::{Probe, ProbeOutcome, StreamFormat, Verdict};
use m3u8_rs::{KeyMethod, MasterPlaylist, MediaPlaylist, MediaSegment, Playlist, VariantStream};
use tokio::time::Instant;
use url::Url;

use super::{
    MEDIA_BYTES, Stop,
    content::{Content, is_markup},
    media, milliseconds_since,
    requests::{Answer, Requests},
};

/// Maximum bytes of a variant's playlist.
const VARIANT_BYTES: usize = 128 << 10;
/// Maximum variants whose playlists are read.
const MOST_VARIANTS: usize = 6;
/// Maximum segments probed: the newest one may have expired since the playlist was read.
const TRIED_SEGMENTS: usize = 2;

pub(super) async fn probe(
    requests: &mut Requests<'_>,
    answer: &Answer,
    sequence: Option<u64>,
    begun: Instant,
) -> Result<Probe, Stop> {
    match playlist(answer)? {
        Playlist::MediaPlaylist(playlist) => probe_media(requests, answer, &playlist, sequence, begun).await,
        Playlist::MasterPlaylist(master) => {
            probe_master(requests, &answer.url, &master, sequence, begun).await
        }
    }
}

fn playlist(answer: &Answer) -> Result<Playlist, Stop> {
    let bytes = if answer.is_whole { &answer.bytes } else { whole_lines(&answer.bytes) };
    m3u8_rs::parse_playlist_res(bytes).map_err(|_| answer.lacks(ProbeOutcome::NotMedia))
}

/// The lines of a truncated playlist up to the last URL: it may end within a line, and tags precede
/// their URL.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let mut lines = bytes;
    while let Some(end) = lines.iter().rposition(|byte| *byte == b'\n') {
        let begin = lines[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = lines[begin..end].trim_ascii();
        if !line.is_empty() && !line.starts_with(b"#") {
            return &lines[..=end];
        }
        lines = &lines[..begin];
    }
    bytes
}

/// Probes the variant of the lowest bitrate; the others need playlists only, within the deadline.
async fn probe_master(
    requests: &mut Requests<'_>,
    base: &Url,
    master: &MasterPlaylist,
    sequence: Option<u64>,
    begun: Instant,
) -> Result<Probe, Stop> {
    let mut variants: Vec<&VariantStream> =
        master.variants.iter().filter(|variant| !variant.is_i_frame).collect();
    variants.sort_by_key(|variant| variant.bandwidth);
    let best = variants.last().copied();
    let height = variants.iter().filter_map(|variant| Some(variant.resolution?.height)).max();
    let (mut playing, mut failed): (Option<Probe>, Option<Probe>) = (None, None);
    let mut unread = None;
    for variant in variants.iter().take(MOST_VARIANTS) {
        let found = match &playing {
            None => probe_variant(requests, base, variant, sequence, begun).await,
            // After one playing variant, the playlists of the others are enough.
            Some(_) => find_variant(requests, base, variant).await,
        };
        let found = found.unwrap_or_else(|stop| stop);
        // A playlist after the deadline is no failure of the playing variant.
        if playing.is_some() && requests.are_over() {
            break;
        }
        match found.outcome.verdict() {
            Verdict::Plays => playing = Some(playing.unwrap_or(found)),
            Verdict::Fails => failed = Some(failed.unwrap_or(found)),
            // An unread or truncated playlist is inconclusive: the others decide.
            Verdict::Unknown if found.outcome == ProbeOutcome::NotChecked => unread = unread.or(Some(found)),
            // The host has rejected further requests, or these credentials.
            Verdict::Unknown if playing.is_none() => return Err(found),
            Verdict::Unknown => break,
        }
    }
    let Some(found) = playing else {
        return Ok(failed.or(unread).unwrap_or(Probe::of(ProbeOutcome::Empty)));
    };
    let outcome = if failed.is_some() { ProbeOutcome::Degraded } else { found.outcome };
    Ok(Probe {
        outcome,
        height: height.and_then(|height| u32::try_from(height).ok()),
        codecs: best.and_then(|best| best.codecs.clone()).or(found.codecs),
        bitrate: best.map(|best| best.bandwidth),
        variants: u32::try_from(variants.len()).ok(),
        ..found
    })
}

async fn probe_variant(
    requests: &mut Requests<'_>,
    base: &Url,
    variant: &VariantStream,
    sequence: Option<u64>,
    begun: Instant,
) -> Result<Probe, Stop> {
    let (answer, playlist) = read_variant(requests, base, variant).await?;
    probe_media(requests, &answer, &playlist, sequence, begun).await
}

async fn find_variant(
    requests: &mut Requests<'_>,
    base: &Url,
    variant: &VariantStream,
) -> Result<Probe, Stop> {
    let (answer, playlist) = read_variant(requests, base, variant).await?;
    Ok(if playlist.segments.is_empty() {
        answer.lacks(ProbeOutcome::Empty)
    } else {
        Probe::of(ProbeOutcome::Ok)
    })
}

async fn read_variant(
    requests: &mut Requests<'_>,
    base: &Url,
    variant: &VariantStream,
) -> Result<(Answer, MediaPlaylist), Stop> {
    let answer = requests.playlist(joined(base, &variant.uri)?, VARIANT_BYTES).await?;
    match answer.content {
        Content::HlsPlaylist => {}
        Content::Nothing => return Err(Probe::of(ProbeOutcome::Empty)),
        _ => return Err(Probe::of(ProbeOutcome::NotMedia)),
    }
    match playlist(&answer)? {
        Playlist::MediaPlaylist(playlist) => Ok((answer, playlist)),
        Playlist::MasterPlaylist(_) => Err(Probe::of(ProbeOutcome::NotMedia)),
    }
}

async fn probe_media(
    requests: &mut Requests<'_>,
    answer: &Answer,
    playlist: &MediaPlaylist,
    sequence: Option<u64>,
    begun: Instant,
) -> Result<Probe, Stop> {
    let Some(last) = playlist.segments.len().checked_sub(1) else {
        return Ok(answer.lacks(ProbeOutcome::Empty));
    };
    // The newest segment of a truncated playlist is unknown.
    let is_live = answer.is_whole && !playlist.end_list;
    let newest = is_live.then(|| playlist.media_sequence.saturating_add(last as u64));
    if newest.is_some() && newest == sequence {
        return Ok(Probe {
            sequence: newest,
            format: Some(StreamFormat::Hls),
            ..Probe::of(ProbeOutcome::Stalled)
        });
    }
    let mut found = Probe::of(ProbeOutcome::Empty);
    for segment in playlist.segments.iter().rev().take(TRIED_SEGMENTS) {
        found =
            probe_segment(requests, &answer.url, playlist, segment, begun).await.unwrap_or_else(|stop| stop);
        if found.outcome.verdict() != Verdict::Fails {
            break;
        }
    }
    Ok(Probe { format: Some(StreamFormat::Hls), sequence: newest, ..found })
}

async fn probe_segment(
    requests: &mut Requests<'_>,
    base: &Url,
    playlist: &MediaPlaylist,
    segment: &MediaSegment,
    begun: Instant,
) -> Result<Probe, Stop> {
    // A key precedes the first segment that needs it.
    let before = playlist.segments.iter().take_while(|one| !std::ptr::eq(*one, segment));
    let key = before.chain([segment]).filter_map(|one| one.key.as_ref()).last();
    let key = key.filter(|key| key.method != KeyMethod::None);
    if let Some(uri) = key.and_then(|key| key.uri.as_deref()) {
        let url = joined(base, uri)?;
        // Keys of other systems have URLs for their own players only.
        if ["http", "https"].contains(&url.scheme()) {
            requests.get(url, 16).await?;
        }
    }
    let answer = requests.get(joined(base, &segment.uri)?, MEDIA_BYTES).await?;
    let is_page = is_markup(&answer.bytes)
        || answer.media_type.as_deref().is_some_and(|name| name.starts_with("text/"));
    if key.is_some() && answer.content == Content::Other && !is_page {
        // Encrypted content can't be checked.
        return Ok(Probe { milliseconds: milliseconds_since(begun), ..Probe::of(ProbeOutcome::Ok) });
    }
    // Subtitles are text, which is no playable media.
    Ok(media(&answer, begun))
}

fn joined(base: &Url, uri: &str) -> Result<Url, Stop> {
    base.join(uri).map_err(|_| Probe::of(ProbeOutcome::NotMedia))
}
