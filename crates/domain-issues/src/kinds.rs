//! Content types, problem types and priorities of reports.

use domain_kernel::{Kind, enumeration, for_each_kind};

macro_rules! issue_content_type {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported($($variant:ident)?) $($rest:tt)*)?];)+) => {
        enumeration! {
            /// Content type of a report.
            pub enum IssueContentType {
                $($($($variant = $code $labels,)?)?)+
                /// Trailer of a film, with the id of the film.
                Trailer = "TRAILER" ("Tráiler", "Trailer"),
            }
        }

        impl IssueContentType {
            /// Kind of the content with its id; for a trailer, its film.
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
    /// Kind of the content whose stream it is; `None` for a trailer.
    pub fn stream_of(self) -> Option<Kind> {
        (self != Self::Trailer).then(|| self.kind())
    }
}

enumeration! {
    /// Type of the problem.
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
    /// Whether it is a playback problem, which a probe can confirm.
    pub const fn is_of_playback(self) -> bool {
        matches!(self, Self::Video | Self::Audio | Self::Buffering | Self::NotLoading)
    }
}

enumeration! {
    /// Priority of a report.
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
