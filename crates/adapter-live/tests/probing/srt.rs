//! SRT against a stub with as much of the protocol as a probe needs.

use std::time::Duration;

use adapter_live::probe::ProbedLink;
use domain_live::link::ProbeOutcome;
use tokio::{net::UdpSocket, task::JoinHandle};

use crate::prober;

/// Responds to handshakes from the second packet on, like a network that loses the first; returns
/// the received packets.
async fn listener(answers: bool) -> (String, JoinHandle<Vec<Vec<u8>>>) {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let listening = tokio::spawn(async move {
        let mut received = Vec::new();
        let mut packet = [0; 2_048];
        while received.len() < 2 {
            let (length, peer) = socket.recv_from(&mut packet).await.unwrap();
            received.push(packet[..length].to_vec());
            if answers && received.len() == 2 {
                // Another control packet than the requested one.
                socket.send_to(&[0x80, 1, 0, 0].repeat(20), peer).await.unwrap();
                let mut answer = packet[..length].to_vec();
                answer.copy_within(40..44, 12);
                answer[19] = 5;
                answer[22..24].copy_from_slice(&[0x4A, 0x17]);
                answer[40..48].copy_from_slice(&[9; 8]);
                socket.send_to(&answer, peer).await.unwrap();
            }
        }
        if !answers {
            std::future::pending::<()>().await;
        }
        received
    });
    (address, listening)
}

#[tokio::test]
async fn srt_plays_where_the_first_packet_of_a_handshake_is_answered() {
    let (address, listening) = listener(true).await;
    let url = format!("srt://{address}?streamid=read:siete&passphrase=secreto");
    let link = ProbedLink { url, ..ProbedLink::default() };
    let probe = prober(Duration::from_secs(10)).probe(&link).await;
    assert_eq!(probe.outcome, ProbeOutcome::Ok);
    let received = listening.await.unwrap();
    assert_eq!(received[0], received[1], "sent again until it is answered");
    assert_eq!(received[0].len(), 64, "neither the name of the stream nor its passphrase is sent");
}

#[tokio::test]
async fn srt_without_a_response_fails_and_other_modes_are_not_probed() {
    let (silent, _listening) = listener(false).await;
    // The system never assigns this port.
    let closed = "127.0.0.1:1";
    for (url, outcome) in [
        (format!("srt://{silent}"), ProbeOutcome::Timeout),
        (format!("srt://{closed}"), ProbeOutcome::Connect),
        (format!("srt://{silent}?mode=listener"), ProbeOutcome::NotChecked),
        (format!("srt://{silent}?mode=Caller"), ProbeOutcome::Timeout),
        ("srt://127.0.0.1".to_owned(), ProbeOutcome::Connect),
        (format!("srt://{}.example:9000", "a".repeat(64)), ProbeOutcome::Name),
    ] {
        let link = ProbedLink { url: url.clone(), ..ProbedLink::default() };
        assert_eq!(prober(Duration::from_millis(600)).probe(&link).await.outcome, outcome, "{url}");
    }
}
