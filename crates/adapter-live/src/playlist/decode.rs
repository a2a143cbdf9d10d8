//! Decodes bytes: UTF-16 by its byte order mark or its zeros; otherwise each line is UTF-8 or in a
//! guessed encoding. Lists are merged from others, so that one line may be UTF-8 and the next
//! Windows-1252.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use domain_live::playlist::PlaylistFault;
use encoding_rs::{Decoder, Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memchr2_iter;

/// Bytes examined before the first line.
const PREFIX: usize = 64 * 1024;
/// Bytes of non-UTF-8 lines after which the guess is final.
const ENOUGH: usize = 16 * 1024;

/// Guesses the encoding of non-UTF-8 lines.
#[derive(Default)]
pub(super) struct Guess {
    detector: Option<Box<EncodingDetector>>,
    seen: usize,
    encoding: Option<&'static Encoding>,
}

impl Guess {
    fn learn(&mut self, line: &[u8]) {
        if self.seen < ENOUGH {
            let detector = self
                .detector
                .get_or_insert_with(|| Box::new(EncodingDetector::new(Iso2022JpDetection::Deny)));
            detector.feed(line, false);
            detector.feed(b"\n", false);
            self.seen += line.len();
            self.encoding = Some(detector.guess(None, Utf8Detection::Deny));
        }
    }

    pub(super) fn text<'a>(&mut self, line: &'a [u8]) -> Cow<'a, str> {
        if let Ok(text) = str::from_utf8(line) {
            return Cow::Borrowed(text);
        }
        self.learn(line);
        let encoding = self.encoding.unwrap_or(WINDOWS_1252);
        encoding.decode_without_bom_handling(line).0
    }
}

enum Form {
    /// Too few bytes to decide.
    Unknown(Vec<u8>),
    /// Decoded line by line.
    Lines,
    Utf16(Box<Decoder>),
}

pub(super) struct Decode {
    form: Form,
    guess: Guess,
}

impl Default for Decode {
    fn default() -> Self {
        Self { form: Form::Unknown(Vec::new()), guess: Guess::default() }
    }
}

type Sink<'a> = &'a mut dyn FnMut(&[u8], &mut Guess) -> Result<(), PlaylistFault>;

impl Decode {
    pub(super) fn feed(&mut self, bytes: &[u8], sink: Sink<'_>) -> Result<(), PlaylistFault> {
        match &mut self.form {
            Form::Unknown(prefix) => {
                prefix.extend_from_slice(bytes);
                if prefix.len() < PREFIX { Ok(()) } else { self.begin(sink) }
            }
            Form::Lines => sink(bytes, &mut self.guess),
            Form::Utf16(decoder) => utf16(decoder, bytes, false, &mut self.guess, sink),
        }
    }

    pub(super) fn finish(&mut self, sink: Sink<'_>) -> Result<(), PlaylistFault> {
        if matches!(self.form, Form::Unknown(_)) {
            self.begin(sink)?;
        }
        match &mut self.form {
            Form::Utf16(decoder) => utf16(decoder, &[], true, &mut self.guess, sink),
            _ => Ok(()),
        }
    }

    pub(super) fn guess_mut(&mut self) -> &mut Guess {
        &mut self.guess
    }

    /// Determines the form from the prefix, which is the first text.
    fn begin(&mut self, sink: Sink<'_>) -> Result<(), PlaylistFault> {
        let Form::Unknown(prefix) = std::mem::replace(&mut self.form, Form::Lines) else { return Ok(()) };
        if let Some((encoding, mark)) = utf16_of(&prefix) {
            let mut decoder = Box::new(encoding.new_decoder_without_bom_handling());
            let outcome = utf16(&mut decoder, &prefix[mark..], false, &mut self.guess, sink);
            self.form = Form::Utf16(decoder);
            return outcome;
        }
        let plain = prefix.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&prefix);
        if plain.contains(&0) {
            return Err(PlaylistFault::NotAPlaylist);
        }
        if str::from_utf8(plain).is_err() {
            let mut begin = 0;
            for end in memchr2_iter(b'\n', b'\r', plain) {
                let line = &plain[begin..end];
                if str::from_utf8(line).is_err() {
                    self.guess.learn(line);
                }
                begin = end + 1;
            }
        }
        sink(plain, &mut self.guess)
    }
}

/// UTF-16 by its byte order mark, or by zeros in every other byte of the prefix; with the length of
/// the mark.
fn utf16_of(prefix: &[u8]) -> Option<(&'static Encoding, usize)> {
    match prefix {
        [0xff, 0xfe, ..] => return Some((UTF_16LE, 2)),
        [0xfe, 0xff, ..] => return Some((UTF_16BE, 2)),
        _ => {}
    }
    let head = &prefix[..prefix.len().min(64) & !1];
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let many = head.len() / 4;
    match (even, odd) {
        (0, odd) if odd > many => Some((UTF_16LE, 0)),
        (even, 0) if even > many => Some((UTF_16BE, 0)),
        _ => None,
    }
}

fn utf16(
    decoder: &mut Decoder,
    mut bytes: &[u8],
    last: bool,
    guess: &mut Guess,
    sink: Sink<'_>,
) -> Result<(), PlaylistFault> {
    let mut text = vec![0; 16 * 1024];
    loop {
        let (result, read, written, _) = decoder.decode_to_utf8(bytes, &mut text, last);
        sink(&text[..written], guess)?;
        bytes = &bytes[read..];
        if matches!(result, encoding_rs::CoderResult::InputEmpty) {
            return Ok(());
        }
    }
}
