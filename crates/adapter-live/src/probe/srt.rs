//! Probes SRT: the first packet of a handshake must be answered (draft-sharabayko-srt, section
//! 4.3.1). The conclusion, which opens the stream, is not sent, so there is no subscription.

use std::{io, time::Duration};

use domain_live::link::{Probe, ProbeOutcome};
use guarded_http::GuardedClient;
use tokio::{
    net::UdpSocket,
    time::{Instant, timeout_at},
};
use url::Url;

use super::{milliseconds_since, outcome_of};

/// Interval of resending the packet until a response, as callers do: UDP loses packets.
const RESEND: Duration = Duration::from_millis(250);
/// Bytes of the header of a packet, and of the fields of a handshake.
const HEADER: usize = 16;
const HANDSHAKE: usize = 48;
/// A control packet of the type handshake.
const CONTROL_HANDSHAKE: u32 = 0x8000_0000;
/// Version in a caller's induction, independent of the supported versions.
const INDUCTION_VERSION: u32 = 4;
/// Extension field of an induction: datagrams.
const DATAGRAMS: u32 = 2;
const INDUCTION: u32 = 1;
/// Socket ID of this side, to which the response is sent.
const SOCKET_ID: u32 = 0x0CA2_7E1E;
const LARGEST_PACKET: u32 = 1_500;
const FLOW_WINDOW: u32 = 8_192;

pub(super) async fn probe(client: &GuardedClient, url: &Url, begun: Instant) -> Probe {
    // Listeners and rendezvous peers don't answer callers.
    let mode = url.query_pairs().find(|(name, _)| name == "mode").map(|(_, mode)| mode.to_ascii_lowercase());
    if mode.is_some_and(|mode| mode != "caller") {
        return Probe::of(ProbeOutcome::NotChecked);
    }
    // The protocol has no default port.
    let Some(port) = url.port() else { return Probe::of(ProbeOutcome::Connect) };
    let socket = match client.connect_udp(url, port).await {
        Ok(socket) => socket,
        Err(fault) => return Probe::of(outcome_of(fault)),
    };
    match induced(&socket).await {
        Ok(()) => Probe { milliseconds: milliseconds_since(begun), ..Probe::of(ProbeOutcome::Ok) },
        // Closed port.
        Err(_) => Probe::of(ProbeOutcome::Connect),
    }
}

/// Sends the induction until a response. The deadline of the probe ends it.
async fn induced(socket: &UdpSocket) -> io::Result<()> {
    let mut answer = [0; 2_048];
    loop {
        socket.send(&induction()).await?;
        let resend = Instant::now() + RESEND;
        while let Ok(length) = timeout_at(resend, socket.recv(&mut answer)).await {
            if is_answer(&answer[..length?]) {
                return Ok(());
            }
        }
    }
}

/// The induction of a caller.
fn induction() -> Vec<u8> {
    let header = [CONTROL_HANDSHAKE, 0, 0, 0];
    let handshake = [
        INDUCTION_VERSION,
        DATAGRAMS,
        0,
        LARGEST_PACKET,
        FLOW_WINDOW,
        INDUCTION,
        SOCKET_ID,
        // No cookie yet, and no address.
        0,
        0,
        0,
        0,
        0,
    ];
    header.into_iter().chain(handshake).flat_map(u32::to_be_bytes).collect()
}

/// Whether a packet is the response to the induction.
fn is_answer(packet: &[u8]) -> bool {
    let field = |at: usize| {
        let bytes = packet.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    packet.len() >= HEADER + HANDSHAKE
        && field(0) == Some(CONTROL_HANDSHAKE)
        && field(12) == Some(SOCKET_ID)
        && field(HEADER).is_some_and(|version| version >= INDUCTION_VERSION)
        && field(HEADER + 20) == Some(INDUCTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Response of a listener: version 5, the magic number of SRT, and a cookie.
    fn answer() -> Vec<u8> {
        let mut answer = induction();
        answer[12..16].copy_from_slice(&SOCKET_ID.to_be_bytes());
        answer[16..20].copy_from_slice(&5_u32.to_be_bytes());
        answer[22..24].copy_from_slice(&[0x4A, 0x17]);
        answer[44..48].copy_from_slice(&[7; 4]);
        answer
    }

    #[test]
    fn an_induction_has_the_fields_of_the_draft() {
        let sent = induction();
        assert_eq!(sent.len(), 64);
        assert_eq!(sent[..16], [&[0x80][..], &[0; 15]].concat());
        assert_eq!(sent[16..24], [0, 0, 0, 4, 0, 0, 0, 2]);
        assert_eq!(sent[36..40], [0, 0, 0, 1]);
    }

    #[test]
    fn only_an_induction_to_our_socket_is_an_answer() {
        assert!(is_answer(&answer()));
        assert!(!is_answer(&induction()), "an echo");
        assert!(!is_answer(&answer()[..63]), "cut off");
        for (at, byte) in [(0, 0), (3, 1), (15, 0), (19, 3), (39, 2)] {
            let mut other = answer();
            other[at] = byte;
            assert!(!is_answer(&other), "{byte} at {at}");
        }
        assert!(!is_answer(b"HTTP/1.1 400 Bad Request"));
    }
}
