//! What reports are about, what is wrong, and how much it matters.

use domain_kernel::{Kind, enumeration, for_each_kind};

macro_rules! issue_content_type {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported($($variant:ident)?) $($rest:tt)*)?];)+) => {
        enumeration! {
            /// What a report is about.
            pub enum IssueContentType {
                $($($($variant = $code $labels,)?)?)+
                /// Of a film: the id of a trailer's content is the film's.
                Trailer = "TRAILER" ("Tráiler", "Trailer"),
            }
        }

        impl IssueContentType {
            /// The kind of content that has its id. A trailer is its film's.
            pub const fn kind(self) -> Kind {
                match self {
                    $($($(Self::$variant => Kind::$kind,)?)?)+
                    Self::Trailer => Kind::Movies,
                }
            }
        }
    };
}
for_each_kind!(issue_content_type);

impl IssueContentType {
    /// The kind of content one of whose streams it is; a trailer is none of its film's.
    pub fn stream_of(self) -> Option<Kind> {
        (self != Self::Trailer).then(|| self.kind())
    }
}

enumeration! {
    /// What is wrong.
    pub enum ReportType {
        Video = "VIDEO" ("Vídeo", "Video"),
        Audio = "AUDIO" ("Audio", "Audio"),
        Subtitles = "SUBTITLES" ("Subtítulos", "Subtitles"),
        Buffering = "BUFFERING" ("Cortes al reproducir", "Buffering"),
        NotLoading = "NOT_LOADING" ("No carga", "Does not load"),
        IncorrectInfo = "INCORRECT_INFO" ("Información incorrecta", "Incorrect information"),
        Other = "OTHER" ("Otro", "Other"),
    }
}

impl ReportType {
    /// Whether it says that the stream does not play as it should: what a probe may find.
    pub const fn is_of_playback(self) -> bool {
        matches!(self, Self::Video | Self::Audio | Self::Buffering | Self::NotLoading)
    }
}

enumeration! {
    /// How much it matters.
    pub enum Priority {
        Low = "LOW" ("Baja", "Low"),
        Medium = "MEDIUM" ("Media", "Medium"),
        High = "HIGH" ("Alta", "High"),
        Critical = "CRITICAL" ("Crítica", "Critical"),
    }
}

impl Default for Priority {
    /// docs/spec/reports.md#fields.
    fn default() -> Self {
        Self::Medium
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_in_the_order_of_their_weight() {
        assert!(Priority::Low < Priority::Medium && Priority::Medium < Priority::High);
        assert!(Priority::High < Priority::Critical);
        assert_eq!(Priority::default(), Priority::Medium);
    }
}
