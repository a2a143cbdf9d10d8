//! Outcomes of probes.

use domain_kernel::enumeration;
use schemars::JsonSchema;
use serde::Serialize;

enumeration! {
    /// Outcome of a probe.
    pub enum ProbeOutcome {
        Ok = "OK" ("Se reproduce", "Plays"),
        /// It plays, but its first bytes took more than five seconds.
        Slow = "SLOW" ("Se reproduce, pero tarda en empezar", "Plays, but is slow to start"),
        /// Some variants play, others don't.
        Degraded = "DEGRADED" ("Solo se reproducen algunas calidades", "Only some qualities play"),
        /// A live playlist without new segments since the last probe.
        Stalled = "STALLED" ("Está detenido: no llega nada nuevo", "Stalled: nothing new arrives"),
        /// A response without content.
        Empty = "EMPTY" ("La respuesta está vacía", "The answer is empty"),
        /// A page or another file that is no media.
        NotMedia = "NOT_MEDIA" ("No es vídeo ni audio", "Neither video nor audio"),
        /// No data within ten seconds.
        Timeout = "TIMEOUT" ("No respondió en 10 segundos", "No answer within 10 seconds"),
        /// DNS failure.
        Name = "NAME" ("El nombre del servidor no existe", "The host name does not exist"),
        /// The connection failed or was interrupted.
        Connect = "CONNECT" ("No se pudo conectar", "Could not connect"),
        /// Invalid certificate.
        Tls = "TLS" ("El certificado no es válido", "The certificate is not valid"),
        /// Any other error status.
        Http = "HTTP" ("El servidor respondió con un error", "The server answered with an error"),
        /// Missing or rejected credentials.
        Auth = "AUTH" ("El servidor pide otras credenciales", "The server requires other credentials"),
        /// Blocked in this country.
        Geo = "GEO" ("El servidor no atiende a este país", "The server does not serve this country"),
        /// Rate limit of the host, or all its connections are in use.
        Busy = "BUSY" ("El servidor está ocupado", "The server is busy"),
        /// A private address, also in a redirect or segment, that the operator has not allowed.
        ForbiddenAddress = "FORBIDDEN_ADDRESS" ("La dirección no es pública", "The address is not public"),
        /// Unsupported protocol.
        NotChecked = "NOT_CHECKED" ("Este protocolo no se comprueba", "This protocol is not checked"),
    }
}

/// Conclusion of a probe about the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Plays,
    Fails,
    /// Inconclusive: the error may not affect viewers.
    Unknown,
}

impl ProbeOutcome {
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Ok | Self::Slow | Self::Degraded => Verdict::Plays,
            Self::Stalled
            | Self::Empty
            | Self::NotMedia
            | Self::Timeout
            | Self::Name
            | Self::Connect
            | Self::Tls
            | Self::Http => Verdict::Fails,
            Self::Auth | Self::Geo | Self::Busy | Self::ForbiddenAddress | Self::NotChecked => {
                Verdict::Unknown
            }
        }
    }
}

enumeration! {
    /// Format of a stream.
    pub enum StreamFormat {
        Hls = "HLS" ("HLS", "HLS"),
        Dash = "DASH" ("DASH", "DASH"),
        MpegTs = "MPEG_TS" ("MPEG-TS", "MPEG-TS"),
        Audio = "AUDIO" ("Audio", "Audio"),
        File = "FILE" ("Archivo", "File"),
    }
}

/// Outcome of a probe and the properties found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// Outcome of the probe.
    pub outcome: ProbeOutcome,
    /// HTTP status of the response that determined the outcome, from 100 to 599.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// Time until the first bytes of media, in milliseconds.
    pub milliseconds: u32,
    /// `Retry-After` of the host, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
    /// Format of the stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<StreamFormat>,
    /// Picture height of the best variant, in lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Codecs as declared in the stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codecs: Option<String>,
    /// Bitrate of the best variant, in bits per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bitrate: Option<u64>,
    /// Number of variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<u32>,
    /// Sequence number of the newest segment of a live playlist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
}

impl Probe {
    /// A probe with this outcome only.
    pub const fn of(outcome: ProbeOutcome) -> Self {
        Self {
            outcome,
            http_status: None,
            milliseconds: 0,
            retry_after: None,
            format: None,
            height: None,
            codecs: None,
            bitrate: None,
            variants: None,
            sequence: None,
        }
    }
}

/// Outcome of an error status. A 503 with `Retry-After` is a busy host; without one it is a
/// failure.
pub const fn outcome_of_status(status: u16, names_time: bool) -> ProbeOutcome {
    match status {
        401 | 402 | 403 | 407 => ProbeOutcome::Auth,
        451 => ProbeOutcome::Geo,
        429 => ProbeOutcome::Busy,
        503 if names_time => ProbeOutcome::Busy,
        _ => ProbeOutcome::Http,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_probe_is_inconclusive() {
        for (status, names_time, outcome) in [
            (401, false, ProbeOutcome::Auth),
            (403, false, ProbeOutcome::Auth),
            (451, false, ProbeOutcome::Geo),
            (429, false, ProbeOutcome::Busy),
            (503, true, ProbeOutcome::Busy),
        ] {
            assert_eq!(outcome_of_status(status, names_time), outcome, "{status}");
            assert_eq!(outcome.verdict(), Verdict::Unknown, "{status}");
        }
        for status in [400, 404, 410, 500, 502, 503, 504] {
            assert_eq!(outcome_of_status(status, false), ProbeOutcome::Http, "{status}");
        }
        assert_eq!(ProbeOutcome::Http.verdict(), Verdict::Fails);
    }
}
