//! Whether anything was committed to a database file since a moment, as the file itself tells it.
//!
//! In WAL mode `SQLite` begins its index of the log (`…-shm`) with a header that changes with every commit, whichever
//! connection or process makes it: a count of commits, where the log ends, and a checksum over both
//! (<https://www.sqlite.org/walformat.html>, "The WAL-Index File Format"). That a commit can be seen and that its header
//! can be read are the same event, so an unchanged header means an unchanged database. Reading it costs some
//! microseconds; asking a connection costs a trip to its thread.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Bytes of the header. It is written twice, the second copy first.
const HEADER: usize = 48;
/// What the format's version is, in the first four bytes, in the machine's own order.
const VERSION: u32 = 3_007_000;

/// The commits of one database file.
#[derive(Debug, Clone)]
pub(crate) struct Commits {
    index: PathBuf,
}

/// Two equal moments have the same database. Of two different ones nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment([u8; HEADER]);

impl Commits {
    /// Of the database in this file, by the name that `SQLite` has for it.
    pub(crate) fn of(database: &Path) -> Self {
        let mut index = database.as_os_str().to_owned();
        index.push("-shm");
        Self { index: index.into() }
    }

    /// This moment; `None` while somebody commits, or where the index can't be read.
    ///
    /// The file is opened anew each time: were every connection closed, it would be another one afterwards.
    pub(crate) fn now(&self) -> Option<Moment> {
        let mut copies = [0; 2 * HEADER];
        File::open(&self.index).and_then(|mut index| index.read_exact(&mut copies)).ok()?;
        let (first, second) = copies.split_at(HEADER);
        let known = first.starts_with(&VERSION.to_ne_bytes());
        (known && first == second).then(|| Moment(first.try_into().expect("half of two is one")))
    }
}
