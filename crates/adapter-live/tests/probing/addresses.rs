//! URLs that a probe must not connect to: at each depth of a stream, in each spelling, and for
//! names with changing addresses.

use std::{
    collections::VecDeque,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use adapter_live::probe::{ProbedLink, Prober};
use domain_integrations::Networks;
use domain_live::link::{ProbeOutcome, Verdict};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream, UdpSocket},
};

use crate::{Host, install_tls, live, master, ok, packets, prober, redirect};

const DEADLINE: Duration = Duration::from_secs(2);
const ALLOWED: &str = "127.0.0.1";
const PRIVATE: &str = "127.0.0.2";
/// Placeholder of a spelling in a URL.
const SPELLINGS: &[&str] = &[
    PRIVATE,
    "127.0.0.2.",
    "127.2",
    "127.0.2",
    "2130706434",
    "0x7f000002",
    "0x7f.2",
    "0x7f.0x0.0x0.0x2",
    "0177.0.0.2",
    "017700000002",
    "[::ffff:127.0.0.2]",
    "[::ffff:7f00:2]",
    "[0:0:0:0:0:ffff:7f00:0002]",
    "[::127.0.0.2]",
    "[64:ff9b::7f00:2]",
    "[2002:7f00:2::]",
    "%31%32%37.0.0.2",
    "１２７．０．０．２",
    "127。0。0。2",
    "127.0.0.1@127.0.0.2",
    "user:127.0.0.1@2130706434",
];

/// Listens on a private address, over TCP and UDP, and on the same port of an allowed one, over
/// TCP.
struct Listeners {
    allowed: TcpListener,
    private: TcpListener,
    datagrams: UdpSocket,
}

impl Listeners {
    async fn bind() -> Self {
        loop {
            let allowed = TcpListener::bind((ALLOWED, 0)).await.unwrap();
            let port = allowed.local_addr().unwrap().port();
            // Another test may have the port.
            let (Ok(private), Ok(datagrams)) =
                (TcpListener::bind((PRIVATE, port)).await, UdpSocket::bind((PRIVATE, port)).await)
            else {
                continue;
            };
            return Self { allowed, private, datagrams };
        }
    }

    fn port(&self) -> u16 {
        self.private.local_addr().unwrap().port()
    }
}

/// No connection or datagram was received: the first one is that of this function.
async fn expect_untouched(private: &TcpListener, datagrams: &UdpSocket) {
    let own = TcpStream::connect(private.local_addr().unwrap()).await.unwrap();
    let (_, first) = private.accept().await.unwrap();
    assert_eq!(first, own.local_addr().unwrap(), "a private address was connected to");
    let own = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    own.send_to(b"own", datagrams.local_addr().unwrap()).await.unwrap();
    let (_, first) = datagrams.recv_from(&mut [0; 2_048]).await.unwrap();
    assert_eq!(first, own.local_addr().unwrap(), "a private address was sent to");
}

fn key(uri: &str) -> Vec<u8> {
    ok(format!(
        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=AES-128,URI=\"{uri}\"\n#EXTINF:6,\na.ts\n"
    ))
}

fn base(uri: &str) -> Vec<u8> {
    ok(format!(
        "<MPD><BaseURL>{uri}</BaseURL><Period><AdaptationSet><Representation id=\"v\"/></AdaptationSet></Period></MPD>"
    ))
}

fn initialization(uri: &str) -> Vec<u8> {
    ok(format!(
        "<MPD><Period><AdaptationSet><SegmentTemplate initialization=\"{uri}\"/><Representation id=\"v\"/>\
         </AdaptationSet></Period></MPD>"
    ))
}

async fn probed(prober: &Prober, url: String) -> ProbeOutcome {
    prober.probe(&ProbedLink { url, ..ProbedLink::default() }).await.outcome
}

#[tokio::test]
async fn no_part_of_a_stream_leads_to_a_private_address_however_it_is_spelled() {
    let prober = prober(DEADLINE);
    for spelling in SPELLINGS {
        let Listeners { allowed, private, datagrams } = Listeners::bind().await;
        let port = private.local_addr().unwrap().port();
        let inside = format!("http://{spelling}:{port}/secret.ts");
        let schemeless = format!("//{spelling}:{port}/secret.ts");
        let host = Host::on(
            allowed,
            vec![
                ("/redirected.ts", redirect(&inside)),
                ("/schemeless.ts", redirect(&schemeless)),
                ("/twice.ts", redirect("/redirected.ts")),
                ("/variant.m3u8", master(&[(1_000_000, &inside)])),
                ("/segment.m3u8", live(&[&inside])),
                ("/redirected.m3u8", live(&["twice.ts"])),
                ("/master.m3u8", master(&[(1_000_000, "segment.m3u8")])),
                ("/key.m3u8", key(&inside)),
                ("/key-of-variant.m3u8", master(&[(1_000_000, "key.m3u8")])),
                ("/base.mpd", base(&inside)),
                ("/initialization.mpd", initialization(&inside)),
                ("/a.ts", ok(packets(20))),
            ],
        );
        for (path, _) in host.answers.iter() {
            if *path == "/a.ts" {
                continue;
            }
            let outcome = probed(&prober, format!("http://{}{path}", host.address)).await;
            // Headers can't have other letters: such a redirect is a response without a target.
            if spelling.is_ascii() {
                assert_eq!(outcome, ProbeOutcome::ForbiddenAddress, "{path} with {spelling}");
            }
            assert_ne!(outcome.verdict(), Verdict::Plays, "{path} with {spelling}");
        }
        assert_eq!(probed(&prober, inside.clone()).await, ProbeOutcome::ForbiddenAddress, "{inside}");
        for scheme in ["rtmp", "rtmps", "rtsp", "rtsps", "srt"] {
            let url = inside.replacen("http", scheme, 1);
            // These schemes have no spellings of addresses: other hosts are names.
            let outcome = probed(&prober, url.clone()).await;
            assert!(
                [ProbeOutcome::ForbiddenAddress, ProbeOutcome::Name].contains(&outcome),
                "{outcome:?} of {url}"
            );
        }
        expect_untouched(&private, &datagrams).await;
    }
}

#[tokio::test]
async fn no_part_of_a_stream_is_another_kind_of_address() {
    let host = Host::of(vec![
        ("/file.m3u8", live(&["file:///etc/passwd"])),
        ("/rtsp.m3u8", live(&["rtsp://127.0.0.1/live"])),
        ("/redirected.ts", redirect("gopher://127.0.0.1/")),
        ("/base.mpd", base("file:///etc/passwd")),
    ])
    .await;
    for (path, _) in host.answers.iter() {
        assert_eq!(host.probe(path, None).await.outcome, ProbeOutcome::ForbiddenAddress, "{path}");
    }
}

/// Resolves a name to the next of these lists; the last one repeats.
struct ChangingNames(Mutex<VecDeque<Vec<IpAddr>>>);

impl Resolve for ChangingNames {
    fn resolve(&self, _: Name) -> Resolving {
        let mut answers = self.0.lock().unwrap();
        let found = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        let found = found.unwrap_or_default().into_iter().map(|address| SocketAddr::new(address, 0));
        Box::pin(async move { Ok(Box::new(found) as Addrs) })
    }
}

/// A prober whose names resolve to these lists, one after the other.
fn prober_of(answers: &[&[&str]]) -> Prober {
    install_tls();
    let list = |addresses: &&[&str]| addresses.iter().map(|address| address.parse().unwrap()).collect();
    let names = ChangingNames(Mutex::new(answers.iter().map(list).collect()));
    Prober::with_resolver(Networks::parse(ALLOWED).unwrap(), Arc::new(names), DEADLINE).unwrap()
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_not_followed_at_any_depth() {
    for (path, requests) in [
        ("/a.ts", 1),
        ("/twice.ts", 3),
        // Master, variant, key, segment.
        ("/master.m3u8", 4),
        ("/redirected.m3u8", 4),
        ("/base.mpd", 2),
        ("/initialization.mpd", 2),
    ] {
        for before in 0..=requests {
            let Listeners { allowed, private, datagrams } = Listeners::bind().await;
            let port = private.local_addr().unwrap().port();
            let at = |path: &str| format!("http://changes.example:{port}/{path}");
            let host = Host::on(
                allowed,
                vec![
                    ("/redirected.ts", redirect(&at("a.ts"))),
                    ("/twice.ts", redirect(&at("redirected.ts"))),
                    ("/master.m3u8", master(&[(1_000_000, &at("variant.m3u8"))])),
                    ("/variant.m3u8", key(&at("key"))),
                    ("/redirected.m3u8", live(&[&at("twice.ts")])),
                    ("/base.mpd", base(&at("init.mp4"))),
                    ("/initialization.mpd", initialization(&at("init.mp4"))),
                    ("/key", ok([7; 16])),
                    ("/a.ts", ok(packets(20))),
                    ("/init.mp4", ok(b"\0\0\0\x18ftypiso6")),
                ],
            );
            let mut answers: Vec<&[&str]> = vec![&[ALLOWED]; before];
            answers.push(&[PRIVATE]);
            let outcome = probed(&prober_of(&answers), at(path.trim_start_matches('/'))).await;
            let expected = if before == requests { ProbeOutcome::Ok } else { ProbeOutcome::ForbiddenAddress };
            assert_eq!(outcome, expected, "{path} after {before}");
            assert_eq!(host.paths().len(), before, "{path} after {before}: {:?}", host.paths());
            expect_untouched(&private, &datagrams).await;
        }
    }
}

#[tokio::test]
async fn other_protocols_connect_to_the_checked_address_too() {
    for mapped in [PRIVATE, "::ffff:127.0.0.2", "::1", "10.0.0.1"] {
        for scheme in ["http", "rtmp", "rtsp", "srt"] {
            let listeners = Listeners::bind().await;
            let url = format!("{scheme}://changes.example:{}/live", listeners.port());
            let outcome = probed(&prober_of(&[&[mapped]]), url).await;
            assert_eq!(outcome, ProbeOutcome::ForbiddenAddress, "{scheme} to {mapped}");
            expect_untouched(&listeners.private, &listeners.datagrams).await;
        }
    }
}

#[tokio::test]
async fn where_the_allowed_one_of_two_addresses_does_not_answer_the_other_is_not_tried() {
    for scheme in ["http", "rtmp", "rtsp", "srt"] {
        for both in [[ALLOWED, PRIVATE], [PRIVATE, ALLOWED]] {
            let Listeners { allowed, private, datagrams } = Listeners::bind().await;
            drop(allowed);
            let url = format!("{scheme}://both.example:{}/a.ts", private.local_addr().unwrap().port());
            let outcome = probed(&prober_of(&[&both]), url).await;
            assert_eq!(outcome, ProbeOutcome::Connect, "{scheme} to {both:?}");
            expect_untouched(&private, &datagrams).await;
        }
    }
}

#[tokio::test]
async fn the_checked_address_is_connected_to_until_its_response() {
    let Listeners { allowed, private, datagrams } = Listeners::bind().await;
    let port = private.local_addr().unwrap().port();
    let accepting = tokio::spawn(async move {
        let (mut stream, peer) = allowed.accept().await.unwrap();
        let _ = stream.write_all(b"RTSP").await;
        peer
    });
    let prober = prober_of(&[&[ALLOWED], &[PRIVATE]]);
    let url = format!("rtsp://changes.example:{port}/live");
    assert_eq!(probed(&prober, url.clone()).await, ProbeOutcome::Ok);
    assert!(accepting.await.unwrap().ip().is_loopback());
    assert_eq!(probed(&prober, url).await, ProbeOutcome::ForbiddenAddress);
    expect_untouched(&private, &datagrams).await;
}
