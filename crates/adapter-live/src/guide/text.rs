//! Decodes a guide of any encoding to UTF-8, and truncates texts and tags: text over the limit is
//! dropped here, so that no reader has it in memory.

use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use domain_live::guide::GuideStop;
use encoding_rs::{Decoder, Encoding, UTF_8};
use memchr::{memchr, memchr3};

use super::unpack::StopCause;

/// Bytes examined for the encoding.
const LOOKED_AT: usize = 64 << 10;
const BLOCK: usize = 32 << 10;

/// Encoding by the byte order mark, by a plausible declaration, or guessed.
fn encoding_of(head: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    // UTF-16 without a byte order mark: "<" next to a zero.
    match head {
        [b'<', 0, ..] => return encoding_rs::UTF_16LE,
        [0, b'<', ..] => return encoding_rs::UTF_16BE,
        _ => {}
    }
    let is_utf8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        // The head may end within a character.
        Err(error) => error.error_len().is_none(),
    };
    match declared(head) {
        // A declared UTF-16 without zeros is another encoding.
        Some(encoding) if encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE => {}
        Some(encoding) if encoding != UTF_8 || is_utf8 => return encoding,
        _ => {}
    }
    if is_utf8 { UTF_8 } else { guessed(head) }
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// Encoding in `<?xml … encoding="…"?>`.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.get(..head.len().min(512))?;
    let start = head.windows(5).position(|window| window == b"<?xml")?;
    let end = start + head[start..].windows(2).position(|window| window == b"?>")?;
    let declaration = std::str::from_utf8(&head[start..end]).ok()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Encoding::for_label(value[1..].split(quote).next()?.as_bytes())
}

/// Position of the last byte within the markup.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    /// After `<`, which was not passed on yet.
    Opened,
    Tag,
    /// Within quotes of a tag.
    Quoted(u8),
    /// After `<!`, while it may be a comment or CDATA.
    Bang,
    Comment,
    Cdata,
    /// `<?…?>`, whose declared encoding is obsolete.
    Instruction,
    /// `<!DOCTYPE …>`, with the number of open brackets.
    Doctype(u8),
}

/// Reads UTF-8 with truncated texts.
pub(super) struct Utf8<R> {
    inner: R,
    decoder: Decoder,
    encoding: &'static Encoding,
    /// Only ASCII so far, which is the same in all encodings.
    is_ascii: bool,
    raw: Vec<u8>,
    decoded: String,
    filtered: Vec<u8>,
    at: usize,
    is_over: bool,
    place: Place,
    /// Bytes since the start of the place.
    length: usize,
    /// The last two bytes.
    recent: [u8; 2],
    /// Whether the last byte was passed on.
    has_kept: bool,
    /// Text after `<!`.
    bang: Vec<u8>,
    longest: usize,
    /// Number of truncated texts.
    pub(super) cut: u64,
    cause: StopCause,
}

impl<R: Read> Utf8<R> {
    pub(super) fn new(mut inner: R, longest: usize, cause: &StopCause) -> io::Result<Self> {
        let mut raw = vec![0; LOOKED_AT];
        let mut filled = 0;
        while filled < raw.len() {
            match inner.read(&mut raw[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The content before the error is read first; the error repeats or was recorded.
                Err(error) if filled == 0 => return Err(error),
                Err(_) => break,
            }
        }
        raw.truncate(filled);
        let encoding = encoding_of(&raw);
        let mut utf8 = Self {
            inner,
            decoder: encoding.new_decoder(),
            encoding,
            is_ascii: encoding == UTF_8,
            raw: Vec::new(),
            decoded: String::new(),
            filtered: Vec::new(),
            at: 0,
            is_over: false,
            place: Place::Text,
            length: 0,
            recent: [0; 2],
            has_kept: false,
            bang: Vec::new(),
            longest,
            cut: 0,
            cause: cause.clone(),
        };
        utf8.decode(&raw, filled == 0)?;
        utf8.raw = vec![0; BLOCK];
        Ok(utf8)
    }

    pub(super) fn encoding(&self) -> &'static str {
        self.encoding.name()
    }

    /// Detects the encoding at the first non-ASCII letter, which may be far into the file.
    fn look_for_encoding(&mut self, raw: &[u8]) {
        let first = Encoding::ascii_valid_up_to(raw);
        if first == raw.len() {
            return;
        }
        self.is_ascii = false;
        let is_utf8 = match std::str::from_utf8(&raw[first..]) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none() || error.valid_up_to() > 0,
        };
        if !is_utf8 {
            self.encoding = guessed(&raw[first..]);
            self.decoder = self.encoding.new_decoder_without_bom_handling();
        }
    }

    fn decode(&mut self, raw: &[u8], is_last: bool) -> io::Result<()> {
        if self.is_ascii {
            self.look_for_encoding(raw);
        }
        let needed = self.decoder.max_utf8_buffer_length(raw.len()).unwrap_or(raw.len() * 3 + 16);
        let mut decoded = std::mem::take(&mut self.decoded);
        decoded.clear();
        decoded.reserve(needed);
        let _ = self.decoder.decode_to_string(raw, &mut decoded, is_last);
        self.filtered.clear();
        self.at = 0;
        let filtered = self.filter(decoded.as_bytes());
        self.decoded = decoded;
        filtered
    }

    /// Passes on the text without comments, instructions and document types, and truncated.
    fn filter(&mut self, decoded: &[u8]) -> io::Result<()> {
        let mut rest = decoded;
        while let Some((&byte, after)) = rest.split_first() {
            let plain = &rest[..self.plain_bytes(rest)];
            if !plain.is_empty() {
                self.filtered.extend_from_slice(plain);
                self.length += plain.len();
                self.has_kept = true;
                self.recent = match plain {
                    [.., one, two] => [*one, *two],
                    _ => [self.recent[1], byte],
                };
                rest = &rest[plain.len()..];
                continue;
            }
            self.has_kept = self.step(byte);
            if self.has_kept {
                self.filtered.push(byte);
            }
            if matches!(self.place, Place::Tag | Place::Quoted(_)) && self.length > self.longest {
                return Err(self.cause.stop(GuideStop::TagTooLong));
            }
            self.recent = [self.recent[1], byte];
            rest = after;
        }
        Ok(())
    }

    /// Number of the next bytes to pass on unchanged: up to the limit or to a possible change of
    /// the place.
    fn plain_bytes(&self, rest: &[u8]) -> usize {
        let rest = &rest[..rest.len().min(self.longest.saturating_sub(self.length))];
        let change = match self.place {
            Place::Text => memchr(b'<', rest),
            Place::Cdata => memchr(b'>', rest),
            Place::Tag => memchr3(b'>', b'"', b'\'', rest),
            Place::Quoted(quote) => memchr(quote, rest),
            _ => Some(0),
        };
        change.unwrap_or(rest.len())
    }

    /// Processes the next byte; returns whether it is passed on.
    fn step(&mut self, byte: u8) -> bool {
        self.length += 1;
        match self.place {
            Place::Text if byte == b'<' => {
                self.enter(Place::Opened);
                false
            }
            Place::Text => self.is_kept(byte),
            Place::Opened => self.open(byte),
            Place::Tag => {
                match byte {
                    b'>' => self.enter(Place::Text),
                    b'"' | b'\'' => self.place = Place::Quoted(byte),
                    _ => {}
                }
                true
            }
            Place::Quoted(quote) => {
                if byte == quote {
                    self.place = Place::Tag;
                }
                true
            }
            Place::Bang => {
                self.open_bang(byte);
                false
            }
            Place::Comment => {
                if self.length >= 3 && byte == b'>' && self.recent == *b"--" {
                    self.enter(Place::Text);
                }
                false
            }
            Place::Instruction => {
                if byte == b'>' && self.recent[1] == b'?' {
                    self.enter(Place::Text);
                }
                false
            }
            Place::Doctype(open) => {
                match byte {
                    b'[' => self.place = Place::Doctype(open.saturating_add(1)),
                    b']' => self.place = Place::Doctype(open.saturating_sub(1)),
                    b'>' if open == 0 => self.enter(Place::Text),
                    _ => {}
                }
                false
            }
            Place::Cdata if self.length >= 3 && byte == b'>' && self.recent == *b"]]" => {
                // A truncated text may lack the brackets.
                let end: &[u8] = if self.length > self.longest { b"]]>" } else { b">" };
                self.filtered.extend_from_slice(end);
                self.enter(Place::Text);
                false
            }
            Place::Cdata => self.is_kept(byte),
        }
    }

    /// Enters what begins with `<` and this byte; returns whether it is passed on.
    fn open(&mut self, byte: u8) -> bool {
        match byte {
            b'!' => {
                self.enter(Place::Bang);
                self.bang.clear();
                false
            }
            b'?' => {
                self.enter(Place::Instruction);
                false
            }
            _ => {
                self.filtered.push(b'<');
                self.enter(if byte == b'>' { Place::Text } else { Place::Tag });
                true
            }
        }
    }

    /// Enters what begins with `<!` and the bytes since, once they are unambiguous.
    fn open_bang(&mut self, byte: u8) {
        self.bang.push(byte);
        let bang = self.bang.as_slice();
        if bang == b"--" {
            self.enter(Place::Comment);
        } else if bang == b"[CDATA[" {
            self.filtered.extend_from_slice(b"<![CDATA[");
            self.enter(Place::Cdata);
        } else if !b"[CDATA[".starts_with(bang) && !b"--".starts_with(bang) {
            self.enter(if byte == b'>' { Place::Text } else { Place::Doctype(0) });
        }
    }

    /// Whether a byte of a text is kept: up to the limit, and to the end of the last character.
    fn is_kept(&mut self, byte: u8) -> bool {
        if self.length == self.longest + 1 {
            self.cut += 1;
        }
        self.length <= self.longest || (byte & 0xC0 == 0x80 && self.has_kept)
    }

    fn enter(&mut self, place: Place) {
        self.place = place;
        self.length = 0;
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.filtered.len() {
            if self.is_over {
                return Ok(0);
            }
            let mut raw = std::mem::take(&mut self.raw);
            let read = loop {
                match self.inner.read(&mut raw) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other,
                }
            };
            let outcome = match read {
                Ok(count) => {
                    self.is_over = count == 0;
                    self.decode(&raw[..count], count == 0)
                }
                Err(error) => Err(error),
            };
            self.raw = raw;
            if let Err(error) = outcome {
                self.is_over = true;
                return Err(error);
            }
        }
        let count = (self.filtered.len() - self.at).min(buffer.len());
        buffer[..count].copy_from_slice(&self.filtered[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
