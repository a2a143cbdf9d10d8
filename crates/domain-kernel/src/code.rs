//! Table of all error codes with their kinds. Names, HTTP statuses, texts in both languages and
//! docs/errors.md are derived from it.

/// Kind of an error code. The API maps kinds to HTTP statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request can't be parsed.
    Malformed,
    /// No session, or wrong credentials.
    Unauthenticated,
    /// The user lacks the permission.
    Forbidden,
    /// Does not exist, or is not visible to the caller.
    Missing,
    /// The method does not exist on this path.
    WrongMethod,
    /// Conflicts with the current state.
    Conflict,
    /// Changed since it was read.
    Outdated,
    /// The body did not arrive in time.
    TimedOut,
    /// The body exceeds the maximum size.
    TooLarge,
    /// The body is not JSON.
    WrongMedia,
    /// The content of the request breaks rules.
    Invalid,
    /// Too many attempts.
    Throttled,
    /// Another service failed.
    Upstream,
    /// Connection or lock error of the store; a retry may succeed.
    Unavailable,
    /// Internal error.
    Broken,
    /// Error of a single field, in `errors` only.
    Field,
}

macro_rules! codes {
    ( $( $(#[doc = $doc:literal])+ $name:ident : $kind:ident = $text:literal ; )+ ) => {
        /// Stable error code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $( $(#[doc = $doc])+ $name ),+ }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The code in the API: UPPER_SNAKE.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            /// The code with this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == name)
            }

            pub const fn kind(self) -> ErrorKind {
                match self { $(Self::$name => ErrorKind::$kind),+ }
            }

            /// Description for docs/errors.md.
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
    /// Unknown user name or wrong password.
    InvalidCredentials: Unauthenticated = "INVALID_CREDENTIALS";
    /// The password is right, but the user is inactive.
    AccountInactive: Unauthenticated = "ACCOUNT_INACTIVE";
    /// The password is right, but the user is suspended.
    AccountSuspended: Unauthenticated = "ACCOUNT_SUSPENDED";
    /// The caller lacks the permission.
    Forbidden: Forbidden = "FORBIDDEN";
    /// The user is suspended: only admins can change suspended users.
    UserSuspended: Forbidden = "USER_SUSPENDED";
    /// The subscriber of the address may not play now; `arguments.reason` has the reason.
    MayNotPlay: Forbidden = "MAY_NOT_PLAY";
    /// A browser sent the request from another site.
    CrossSite: Forbidden = "CROSS_SITE";
    /// Does not exist, or is not visible to the caller.
    NotFound: Missing = "NOT_FOUND";
    /// The path exists, the method does not.
    MethodNotAllowed: WrongMethod = "METHOD_NOT_ALLOWED";
    /// Conflicts with the current state.
    Conflict: Conflict = "CONFLICT";
    /// Other entities refer to it; `arguments` has the counts by type.
    InUse: Conflict = "IN_USE";
    /// The app user has fewer credits than are to be deducted.
    InsufficientCredits: Conflict = "INSUFFICIENT_CREDITS";
    /// The stock of credits for sale does not cover it.
    InsufficientSaleCredits: Conflict = "INSUFFICIENT_SALE_CREDITS";
    /// More than 60 minutes after the sale: only an admin can reverse it.
    ReversalTooLate: Conflict = "REVERSAL_TOO_LATE";
    /// The customer's credits or expiration changed since the sale: only an admin can reverse it.
    MovedSince: Conflict = "MOVED_SINCE";
    /// The subscription ends at another time than was confirmed; `arguments.expirationDate` has the current one.
    /// Nothing was done.
    ExpirationChanged: Conflict = "EXPIRATION_CHANGED";
    /// An app user without credits can't be activated.
    UserWithoutCredits: Conflict = "USER_WITHOUT_CREDITS";
    /// The report can't make this status transition; `arguments` has both statuses.
    InvalidTransition: Conflict = "INVALID_TRANSITION";
    /// The idempotency key was used before, with another body.
    IdempotencyMismatch: Conflict = "IDEMPOTENCY_MISMATCH";
    /// The number of matching items differs from the confirmed one; `arguments.count` has the current one.
    /// Nothing was started.
    CountChanged: Conflict = "COUNT_CHANGED";
    /// The entity was changed since it was read; `current` has its current state.
    VersionConflict: Outdated = "VERSION_CONFLICT";
    /// The body did not arrive in time: ten seconds until the first byte, then at least 8 KiB a second.
    RequestTimeout: TimedOut = "REQUEST_TIMEOUT";
    /// The body is larger than `max` bytes: 1 MiB, 4 KiB under `/api/auth`.
    PayloadTooLarge: TooLarge = "PAYLOAD_TOO_LARGE";
    /// The body must be `application/json`.
    UnsupportedMediaType: WrongMedia = "UNSUPPORTED_MEDIA_TYPE";
    /// The content of the request breaks rules; `errors` names each field.
    ValidationFailed: Invalid = "VALIDATION_FAILED";
    /// The title is of another type than the form.
    WrongTitleType: Invalid = "WRONG_TITLE_TYPE";
    /// Too many attempts; `Retry-After` has the delay in seconds.
    TooManyRequests: Throttled = "TOO_MANY_REQUESTS";
    /// The film database did not respond, or sent an invalid response.
    UpstreamFailed: Upstream = "UPSTREAM_FAILED";
    /// Connection or lock error of the store; a retry may succeed.
    Unavailable: Unavailable = "UNAVAILABLE";
    /// Internal error. The request id identifies it in the log.
    Internal: Broken = "INTERNAL";

    /// The list can't be ordered by that field, but by those in `allowed`.
    UnknownSortField: Field = "UNKNOWN_SORT_FIELD";
    /// The list has no such filter, but those in `allowed`.
    UnknownFilter: Field = "UNKNOWN_FILTER";
    /// The field is required.
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
    /// The field does not exist.
    UnknownField: Field = "UNKNOWN_FIELD";
    /// Not a calendar date (`YYYY-MM-DD`) or not a timestamp (RFC 3339).
    InvalidDate: Field = "INVALID_DATE";
    /// A past day.
    PastDate: Field = "PAST_DATE";
    /// Not a URL.
    InvalidUrl: Field = "INVALID_URL";
    /// A URL, but its scheme is none of `allowed`.
    InvalidScheme: Field = "INVALID_SCHEME";
    /// The URL of a live profile of this service: importing it would duplicate its channels.
    OwnPlaylist: Field = "OWN_PLAYLIST";
    /// The text must be a number.
    NotNumeric: Field = "NOT_NUMERIC";
    /// The text does not have the required form.
    InvalidFormat: Field = "INVALID_FORMAT";
    /// The text holds control or invisible characters.
    ControlCharacters: Field = "CONTROL_CHARACTERS";
    /// The same value occurs twice.
    Duplicate: Field = "DUPLICATE";
    /// Other entities refer to the item by this value, which can't change meanwhile; `count` has their
    /// number.
    FixedWhileUsed: Field = "FIXED_WHILE_USED";
    /// The referenced entity does not exist.
    UnknownReference: Field = "UNKNOWN_REFERENCE";
    /// The field can't be changed.
    Immutable: Field = "IMMUTABLE";
    /// Wrong current password.
    WrongPassword: Field = "WRONG_PASSWORD";
    /// The new password equals the old one.
    SamePassword: Field = "SAME_PASSWORD";
    /// The password lacks an upper-case letter, a lower-case letter or a digit, or has fewer than `min` characters.
    WeakPassword: Field = "WEAK_PASSWORD";
    /// The movement does not continue the balance of the earlier ones (`balance`).
    BrokenChain: Field = "BROKEN_CHAIN";
    /// The movement is older than the account's last one.
    OutOfOrder: Field = "OUT_OF_ORDER";
    /// The user exists, but does not have the role `expected`.
    WrongRole: Field = "WRONG_ROLE";
    /// The user themselves, or a user of their own subtree.
    OwnSubtree: Field = "OWN_SUBTREE";
    /// Changed after the operation to undo, and therefore kept.
    ChangedSince: Field = "CHANGED_SINCE";
    /// The file is neither an XLSX workbook nor delimited text.
    NotASpreadsheet: Field = "NOT_A_SPREADSHEET";
    /// Some bytes of the file are invalid in its detected encoding.
    DamagedText: Field = "DAMAGED_TEXT";
    /// A quote in `row` of the file is not closed, so that later rows can't be read.
    OpenQuote: Field = "OPEN_QUOTE";
    /// A formula of the spreadsheet failed: the cell has its error.
    FailedFormula: Field = "FAILED_FORMULA";
    /// The file has no rows beyond the heading.
    EmptySheet: Field = "EMPTY_SHEET";
    /// The file has more than `max` rows.
    TooManyRows: Field = "TOO_MANY_ROWS";
    /// The file has more than `max` columns.
    TooManyColumns: Field = "TOO_MANY_COLUMNS";
    /// The uncompressed workbook is larger than `max` bytes.
    UnpackedTooLarge: Field = "UNPACKED_TOO_LARGE";
    /// The workbook has no such worksheet, but those in `allowed`.
    UnknownSheet: Field = "UNKNOWN_SHEET";
    /// The row is about the same item as row `row` of the file.
    DuplicateRow: Field = "DUPLICATE_ROW";
    /// Several items match: those in `ids`.
    Ambiguous: Field = "AMBIGUOUS";
    /// Day and month are ambiguous.
    AmbiguousDate: Field = "AMBIGUOUS_DATE";
    /// The comma or point is ambiguous: decimal or thousands separator.
    AmbiguousNumber: Field = "AMBIGUOUS_NUMBER";
    /// It contradicts another column of the row.
    Contradictory: Field = "CONTRADICTORY";
    /// Neither yes nor no.
    NotAFlag: Field = "NOT_A_FLAG";
    /// No entity has this name.
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
