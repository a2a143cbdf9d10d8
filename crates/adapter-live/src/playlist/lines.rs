//! Splits lines at LF, CRLF or CR. Lines over the limit are skipped without buffering them.

use domain_live::playlist::LONGEST_LINE;
use memchr::memchr2;

/// A line, or the beginning of one over the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    TooLong(&'a [u8]),
}

#[derive(Default)]
pub(super) struct Lines {
    /// Beginning of an incomplete line.
    begun: Vec<u8>,
    /// Whether the incomplete line exceeds the limit, so that its rest is dropped.
    too_long: bool,
    /// Whether the last line ended with CR: a following LF belongs to it.
    after_cr: bool,
    number: u32,
}

impl Lines {
    pub(super) fn feed<E>(
        &mut self,
        mut bytes: &[u8],
        sink: &mut impl FnMut(u32, Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr2(b'\n', b'\r', bytes) {
            let is_cr = bytes[end] == b'\r';
            self.number += 1;
            if self.begun.is_empty() && !self.too_long {
                sink(self.number, line(&bytes[..end]))?;
            } else {
                self.keep(&bytes[..end]);
                self.end(sink)?;
            }
            bytes = &bytes[end + 1..];
            if is_cr {
                self.after_cr = bytes.is_empty();
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
        }
        self.keep(bytes);
        Ok(())
    }

    /// The last line may lack its end.
    pub(super) fn finish<E>(
        &mut self,
        sink: &mut impl FnMut(u32, Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.begun.is_empty() {
            return Ok(());
        }
        self.number += 1;
        self.end(sink)
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.too_long {
            return;
        }
        if self.begun.len() + bytes.len() > LONGEST_LINE {
            self.too_long = true;
            self.begun.extend_from_slice(&bytes[..bytes.len().min(64)]);
        } else {
            self.begun.extend_from_slice(bytes);
        }
    }

    fn end<E>(&mut self, sink: &mut impl FnMut(u32, Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let found = if self.too_long { Line::TooLong(&self.begun) } else { line(&self.begun) };
        let outcome = sink(self.number, found);
        self.begun.clear();
        self.too_long = false;
        outcome
    }
}

fn line(bytes: &[u8]) -> Line<'_> {
    if bytes.len() > LONGEST_LINE { Line::TooLong(bytes) } else { Line::Whole(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(chunks: &[&[u8]]) -> Vec<(u32, String)> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        let mut sink = |number, line: Line<'_>| -> Result<(), ()> {
            let text = match line {
                Line::Whole(text) => String::from_utf8(text.to_vec()).unwrap(),
                Line::TooLong(begin) => format!("too long: {}", String::from_utf8_lossy(&begin[..3])),
            };
            found.push((number, text));
            Ok(())
        };
        for chunk in chunks {
            lines.feed(chunk, &mut sink).unwrap();
        }
        lines.finish(&mut sink).unwrap();
        found
    }

    #[test]
    fn a_line_ends_with_lf_crlf_or_cr_wherever_the_bytes_are_cut() {
        let text = b"one\r\ntwo\rthree\n\nfive\r\n\r\nseven";
        let expected: Vec<(u32, String)> =
            (1..).zip(["one", "two", "three", "", "five", "", "seven"].map(String::from)).collect();
        for cut in 0..=text.len() {
            assert_eq!(lines_of(&[&text[..cut], &text[cut..]]), expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_line_over_a_megabyte_is_skipped_and_the_next_one_is_read() {
        let long = [b"abc".as_slice(), &vec![b'x'; LONGEST_LINE], b"\nnext"].concat();
        let expected = [(1, "too long: abc".to_owned()), (2, "next".to_owned())];
        assert_eq!(lines_of(&[&long]), expected);
        let pieces: Vec<&[u8]> = long.chunks(1000).collect();
        assert_eq!(lines_of(&pieces), expected);
    }
}
