//! Everything that can go wrong, in one table: a stable code, and what kind of thing it is. Names, HTTP statuses,
//! texts in both languages and docs/errors.md all follow from it.

/// What kind of failure a code is. Not an HTTP status: the API shell maps kinds to statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request can't be read at all.
    Malformed,
    /// Nobody is signed in, or the credentials are wrong.
    Unauthenticated,
    /// Somebody is, and may not.
    Forbidden,
    /// There is no such thing, or not for this caller.
    Missing,
    /// The method does not exist on this path.
    WrongMethod,
    /// The state of things is against it.
    Conflict,
    /// Somebody else has written in between.
    Outdated,
    /// The body did not arrive in time.
    TimedOut,
    /// The body is larger than is accepted.
    TooLarge,
    /// The body is not JSON.
    WrongMedia,
    /// The content of the request breaks rules.
    Invalid,
    /// Too many attempts.
    Throttled,
    /// Another service failed.
    Upstream,
    /// The store is away; trying again helps.
    Unavailable,
    /// A defect of ours.
    Broken,
    /// Not a failure of a request, but of one field in it: appears in `errors` only.
    Field,
}

macro_rules! codes {
    ( $( $(#[doc = $doc:literal])+ $name:ident : $kind:ident = $text:literal ; )+ ) => {
        /// A stable name for what went wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $( $(#[doc = $doc])+ $name ),+ }

        impl Code {
            /// Every code there is.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// As integrators see it: UPPER_SNAKE.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            /// The code with this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == name)
            }

            /// What kind of failure it is.
            pub const fn kind(self) -> ErrorKind {
                match self { $(Self::$name => ErrorKind::$kind),+ }
            }

            /// What it means, for docs/errors.md.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+)),+ }
            }
        }
    };
}

codes! {
    /// The body is not well-formed JSON, or a query parameter can't be read.
    Malformed: Malformed = "MALFORMED";
    /// No session, or one that has ended.
    NotAuthenticated: Unauthenticated = "NOT_AUTHENTICATED";
    /// User name and password don't belong together.
    InvalidCredentials: Unauthenticated = "INVALID_CREDENTIALS";
    /// The password is right, but the user is inactive.
    AccountInactive: Unauthenticated = "ACCOUNT_INACTIVE";
    /// The password is right, but the user is suspended.
    AccountSuspended: Unauthenticated = "ACCOUNT_SUSPENDED";
    /// The caller lacks the permission.
    Forbidden: Forbidden = "FORBIDDEN";
    /// The user is suspended: only admins change them.
    UserSuspended: Forbidden = "USER_SUSPENDED";
    /// The subscriber whom the address is for may not play now; `arguments.reason` says why.
    MayNotPlay: Forbidden = "MAY_NOT_PLAY";
    /// A browser sent the request from another site.
    CrossSite: Forbidden = "CROSS_SITE";
    /// There is no such thing, or the caller may not see it.
    NotFound: Missing = "NOT_FOUND";
    /// The path exists, the method does not.
    MethodNotAllowed: WrongMethod = "METHOD_NOT_ALLOWED";
    /// The state of things is against it.
    Conflict: Conflict = "CONFLICT";
    /// Other things refer to it; `arguments` has the counts by type.
    InUse: Conflict = "IN_USE";
    /// The app user has fewer credits than are to be deducted.
    InsufficientCredits: Conflict = "INSUFFICIENT_CREDITS";
    /// The stock of credits for sale does not cover it.
    InsufficientSaleCredits: Conflict = "INSUFFICIENT_SALE_CREDITS";
    /// More than 60 minutes after the sale: only an admin reverses it.
    ReversalTooLate: Conflict = "REVERSAL_TOO_LATE";
    /// The customer's credits or expiration moved since the sale: only an admin reverses it.
    MovedSince: Conflict = "MOVED_SINCE";
    /// An app user without credits can't be activated.
    UserWithoutCredits: Conflict = "USER_WITHOUT_CREDITS";
    /// From its state the report can't go there; `arguments` has both states.
    InvalidTransition: Conflict = "INVALID_TRANSITION";
    /// The idempotency key was used before, with another body.
    IdempotencyMismatch: Conflict = "IDEMPOTENCY_MISMATCH";
    /// Another number of items matches than was confirmed; `arguments.count` has how many do. Nothing was begun.
    CountChanged: Conflict = "COUNT_CHANGED";
    /// The entity was changed since it was read; `current` has it as it is now.
    VersionConflict: Outdated = "VERSION_CONFLICT";
    /// The body did not arrive in time: ten seconds until the first byte, then at least 8 KiB a second.
    RequestTimeout: TimedOut = "REQUEST_TIMEOUT";
    /// The body is larger than `max` bytes: 1 MiB, 4 KiB under `/api/auth`.
    PayloadTooLarge: TooLarge = "PAYLOAD_TOO_LARGE";
    /// The body must be `application/json`.
    UnsupportedMediaType: WrongMedia = "UNSUPPORTED_MEDIA_TYPE";
    /// The content of the request breaks rules; `errors` names each field.
    ValidationFailed: Invalid = "VALIDATION_FAILED";
    /// The title is of another type than the form it is looked up for.
    WrongTitleType: Invalid = "WRONG_TITLE_TYPE";
    /// Too many attempts; `Retry-After` says when to try again.
    TooManyRequests: Throttled = "TOO_MANY_REQUESTS";
    /// The film database failed to answer, or answered what can't be read.
    UpstreamFailed: Upstream = "UPSTREAM_FAILED";
    /// The store is away; try again in a moment.
    Unavailable: Unavailable = "UNAVAILABLE";
    /// A defect of the service. The request id helps to find it in the log.
    Internal: Broken = "INTERNAL";

    /// The list can't be ordered by that field, but by those in `allowed`.
    UnknownSortField: Field = "UNKNOWN_SORT_FIELD";
    /// The list has no such filter, but those in `allowed`.
    UnknownFilter: Field = "UNKNOWN_FILTER";
    /// The field must be there.
    Required: Field = "REQUIRED";
    /// The text is shorter than `min` characters.
    TooShort: Field = "TOO_SHORT";
    /// The text is longer than `max` characters.
    TooLong: Field = "TOO_LONG";
    /// The number is below `min`.
    TooSmall: Field = "TOO_SMALL";
    /// The number is above `max`.
    TooLarge: Field = "TOO_LARGE";
    /// The list has fewer than `min` entries.
    TooFew: Field = "TOO_FEW";
    /// The list has more than `max` entries.
    TooMany: Field = "TOO_MANY";
    /// The number has more than `decimals` decimals.
    TooPrecise: Field = "TOO_PRECISE";
    /// The value is not of the type `expected`.
    WrongType: Field = "WRONG_TYPE";
    /// The value is none of `allowed`.
    UnknownValue: Field = "UNKNOWN_VALUE";
    /// There is no such field.
    UnknownField: Field = "UNKNOWN_FIELD";
    /// Not a calendar date (`YYYY-MM-DD`) or not a timestamp (RFC 3339).
    InvalidDate: Field = "INVALID_DATE";
    /// A day that is over.
    PastDate: Field = "PAST_DATE";
    /// Not a URL.
    InvalidUrl: Field = "INVALID_URL";
    /// A URL, but its scheme is none of `allowed`.
    InvalidScheme: Field = "INVALID_SCHEME";
    /// The address of a live profile of this service: a source that reads it would double the channels that it gives out.
    OwnPlaylist: Field = "OWN_PLAYLIST";
    /// The text must be a number.
    NotNumeric: Field = "NOT_NUMERIC";
    /// The text does not have the required form.
    InvalidFormat: Field = "INVALID_FORMAT";
    /// The text holds control or invisible characters.
    ControlCharacters: Field = "CONTROL_CHARACTERS";
    /// The same value occurs twice.
    Duplicate: Field = "DUPLICATE";
    /// Others refer to the item by it: `count` says how many. Until they are moved, it stays as it is.
    FixedWhileUsed: Field = "FIXED_WHILE_USED";
    /// What it refers to does not exist.
    UnknownReference: Field = "UNKNOWN_REFERENCE";
    /// It can't be changed.
    Immutable: Field = "IMMUTABLE";
    /// Not the password that it is.
    WrongPassword: Field = "WRONG_PASSWORD";
    /// The new password is the old one.
    SamePassword: Field = "SAME_PASSWORD";
    /// The password lacks an upper-case letter, a lower-case letter or a digit, or has fewer than `min` characters.
    WeakPassword: Field = "WEAK_PASSWORD";
    /// The movement does not go on from the balance that the earlier ones lead to (`balance`).
    BrokenChain: Field = "BROKEN_CHAIN";
    /// The movement is older than the account's last one.
    OutOfOrder: Field = "OUT_OF_ORDER";
    /// The user exists, but is not of the role `expected` that this is for.
    WrongRole: Field = "WRONG_ROLE";
    /// Beneath oneself, or beneath somebody of one's own subtree.
    OwnSubtree: Field = "OWN_SUBTREE";
    /// Somebody changed it after the operation that is undone: it stays as it is.
    ChangedSince: Field = "CHANGED_SINCE";
    /// The file is neither an XLSX workbook nor a text with separated cells.
    NotASpreadsheet: Field = "NOT_A_SPREADSHEET";
    /// Some bytes of the file are of no text in the encoding of the others.
    DamagedText: Field = "DAMAGED_TEXT";
    /// `row`: of a file, from where on it has no rows because a quote is not closed.
    OpenQuote: Field = "OPEN_QUOTE";
    /// A formula of the spreadsheet failed: the cell holds its error.
    FailedFormula: Field = "FAILED_FORMULA";
    /// The file has a heading at most, and no rows.
    EmptySheet: Field = "EMPTY_SHEET";
    /// The file has more than `max` rows.
    TooManyRows: Field = "TOO_MANY_ROWS";
    /// The file has more than `max` columns.
    TooManyColumns: Field = "TOO_MANY_COLUMNS";
    /// What is packed in the workbook is larger than `max` bytes.
    UnpackedTooLarge: Field = "UNPACKED_TOO_LARGE";
    /// The workbook has no such worksheet, but those in `allowed`.
    UnknownSheet: Field = "UNKNOWN_SHEET";
    /// The row is about the same item as row `row` of the file.
    DuplicateRow: Field = "DUPLICATE_ROW";
    /// Several items are meant by it: those in `ids`.
    Ambiguous: Field = "AMBIGUOUS";
    /// Day and month can't be told apart.
    AmbiguousDate: Field = "AMBIGUOUS_DATE";
    /// The comma or point can be of decimals or of thousands.
    AmbiguousNumber: Field = "AMBIGUOUS_NUMBER";
    /// It contradicts another column of the row.
    Contradictory: Field = "CONTRADICTORY";
    /// Neither yes nor no.
    NotAFlag: Field = "NOT_A_FLAG";
    /// Nothing is called so.
    UnknownName: Field = "UNKNOWN_NAME";
    /// The category exists, but is not of the type `expected`.
    WrongCategoryType: Field = "WRONG_CATEGORY_TYPE";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_upper_snake_and_unique() {
        let mut seen = std::collections::HashSet::new();
        for code in Code::ALL {
            let text = code.as_str();
            assert!(text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'), "{text}");
            assert!(seen.insert(text), "{text} twice");
        }
    }
}
