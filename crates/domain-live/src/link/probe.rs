//! What a probe finds.

use domain_kernel::enumeration;
use schemars::JsonSchema;
use serde::Serialize;

enumeration! {
    /// What a probe found.
    pub enum ProbeOutcome {
        /// It plays.
        Ok = "OK" ("Se reproduce", "Plays"),
        /// It plays, but its first bytes took more than five seconds.
        Slow = "SLOW" ("Se reproduce, pero tarda en empezar", "Plays, but is slow to start"),
        /// Some of its variants play, others don't.
        Degraded = "DEGRADED" ("Solo se reproducen algunas calidades", "Only some qualities play"),
        /// A live playlist that has nothing new since the last probe.
        Stalled = "STALLED" ("Está detenido: no llega nada nuevo", "Stalled: nothing new arrives"),
        /// An answer without content.
        Empty = "EMPTY" ("La respuesta está vacía", "The answer is empty"),
        /// A page or another file that no player opens.
        NotMedia = "NOT_MEDIA" ("No es vídeo ni audio", "Neither video nor audio"),
        /// Nothing arrived within ten seconds.
        Timeout = "TIMEOUT" ("No respondió en 10 segundos", "No answer within 10 seconds"),
        /// The name of the host is not known.
        Name = "NAME" ("El nombre del servidor no existe", "The host name does not exist"),
        /// No connection came about, or it broke off.
        Connect = "CONNECT" ("No se pudo conectar", "Could not connect"),
        /// The certificate is not accepted.
        Tls = "TLS" ("El certificado no es válido", "The certificate is not valid"),
        /// The host refused with this status.
        Http = "HTTP" ("El servidor respondió con un error", "The server answered with an error"),
        /// The host wants credentials, or refuses these.
        Auth = "AUTH" ("El servidor pide otras credenciales", "The server requires other credentials"),
        /// The host does not serve this country.
        Geo = "GEO" ("El servidor no atiende a este país", "The server does not serve this country"),
        /// The host wants fewer requests, or all its connections are in use.
        Busy = "BUSY" ("El servidor está ocupado", "The server is busy"),
        /// A private address, or a redirect or part with one, that the operator does not name.
        ForbiddenAddress = "FORBIDDEN_ADDRESS" ("La dirección no es pública", "The address is not public"),
        /// Its protocol is not probed.
        NotChecked = "NOT_CHECKED" ("Este protocolo no se comprueba", "This protocol is not checked"),
    }
}

/// What an outcome says about the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Viewers can play it.
    Plays,
    /// They can't.
    Fails,
    /// Neither: the probe was refused where a viewer may not be.
    Unknown,
}

impl ProbeOutcome {
    /// What it says about the link.
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
    /// What a stream is made of.
    pub enum StreamFormat {
        Hls = "HLS" ("HLS", "HLS"),
        Dash = "DASH" ("DASH", "DASH"),
        MpegTs = "MPEG_TS" ("MPEG-TS", "MPEG-TS"),
        Audio = "AUDIO" ("Audio", "Audio"),
        File = "FILE" ("Archivo", "File"),
    }
}

/// What a probe found, and what it learned on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// What it found.
    pub outcome: ProbeOutcome,
    /// The status of the answer that decided it, from 100 to 599.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// Milliseconds until the first bytes of media.
    pub milliseconds: u32,
    /// Seconds that the host wants to be left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
    /// What the stream is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<StreamFormat>,
    /// Lines of its best picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Its codecs, as the stream names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codecs: Option<String>,
    /// Bits per second of its best variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bitrate: Option<u64>,
    /// Its variants, where it has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<u32>,
    /// The number of the newest segment of a live playlist: it grows while the stream runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
}

impl Probe {
    /// A probe that found this and learned nothing else.
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

/// What a status says that is no success. A 503 that names a time is a host that is busy; one that does not is a failure.
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
    fn a_refused_probe_says_nothing_about_the_link() {
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
