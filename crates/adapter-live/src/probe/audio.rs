//! Detects audio without a container: MP3, AAC, Ogg and FLAC. A radio stream begins in the middle
//! of a frame.

/// Bytes searched for two consecutive frames.
const SEARCHED: usize = 16 << 10;
/// kbit/s of MPEG 1 and of MPEG 2 and 2.5, layer III, by the index in the header.
const BITRATES: [[usize; 15]; 2] = [
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
/// Samples per second of MPEG 1; half of it for MPEG 2, a quarter for MPEG 2.5.
const RATES: [usize; 3] = [44_100, 48_000, 32_000];

/// Codec of an audio stream.
pub(super) fn audio_codec(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"OggS") {
        return Some("Ogg");
    }
    if bytes.starts_with(b"fLaC") {
        return Some("FLAC");
    }
    let searched = &bytes[..bytes.len().min(SEARCHED)];
    let two = |length: fn(&[u8]) -> Option<usize>| {
        (0..searched.len()).any(|start| {
            length(&searched[start..])
                .and_then(|first| bytes.get(start + first..))
                .is_some_and(|next| length(next).is_some())
        })
    };
    if two(adts_length) {
        Some("AAC")
    } else if two(mp3_length) {
        Some("MP3")
    } else {
        // An ID3 tag whose frames were not read.
        bytes.starts_with(b"ID3").then_some("MP3")
    }
}

/// Length of an MP3 frame, in bytes.
fn mp3_length(bytes: &[u8]) -> Option<usize> {
    let [0xff, second, third, _] = *bytes.first_chunk::<4>()? else { return None };
    let (version, layer) = ((second >> 3) & 3, (second >> 1) & 3);
    // Sync, no reserved version, layer III.
    if second & 0xe0 != 0xe0 || version == 1 || layer != 1 {
        return None;
    }
    let is_first = version == 3;
    let kilobits = *BITRATES[usize::from(!is_first)].get(usize::from(third >> 4))?;
    let rate = *RATES.get(usize::from((third >> 2) & 3))?;
    let rate = match version {
        3 => rate,
        2 => rate / 2,
        _ => rate / 4,
    };
    let samples = if is_first { 144 } else { 72 };
    let padding = usize::from((third >> 1) & 1);
    (kilobits > 0).then(|| samples * kilobits * 1000 / rate + padding)
}

/// Length of an ADTS frame (AAC), in bytes.
fn adts_length(bytes: &[u8]) -> Option<usize> {
    let header = bytes.first_chunk::<7>()?;
    let rate_index = (header[2] >> 2) & 0xf;
    if header[0] != 0xff || header[1] & 0xf6 != 0xf0 || rate_index > 12 {
        return None;
    }
    let length = usize::from(header[3] & 3) << 11 | usize::from(header[4]) << 3 | usize::from(header[5] >> 5);
    (length > 7).then_some(length)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Frames of MPEG 1 layer III, 128 kbit/s, 44.1 kHz.
    pub(in crate::probe) fn mp3(frames: usize) -> Vec<u8> {
        let mut frame = [0; 417];
        frame[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0x00]);
        frame.repeat(frames)
    }

    /// ADTS frames of 100 bytes.
    fn aac(frames: usize) -> Vec<u8> {
        let mut frame = [0; 100];
        frame[..7].copy_from_slice(&[0xff, 0xf1, 0x50, 0x80, 0x0c, 0x9f, 0xfc]);
        frame.repeat(frames)
    }

    #[test]
    fn a_stream_that_begins_within_a_frame_is_known_by_the_next_two() {
        for (stream, codec) in [(mp3(3), "MP3"), (aac(4), "AAC")] {
            assert_eq!(audio_codec(&stream), Some(codec));
            assert_eq!(audio_codec(&stream[50..]), Some(codec));
        }
        assert_eq!(audio_codec(b"ID3\x04\0\0"), Some("MP3"));
        assert_eq!(audio_codec(b"fLaC\0\0\0\x22"), Some("FLAC"));
    }

    #[test]
    fn one_frame_alone_or_other_bytes_are_no_audio() {
        assert_eq!(audio_codec(&mp3(1)), None);
        assert_eq!(audio_codec(&[0xff; 5_000]), None);
        assert_eq!(audio_codec("una página que no es música ".repeat(500).as_bytes()), None);
        let noise: Vec<u8> = (0..60_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(audio_codec(&noise[..200]), None);
    }
}
