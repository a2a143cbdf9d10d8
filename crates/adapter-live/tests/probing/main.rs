//! Probes against a host with all kinds of responses.

mod addresses;
mod srt;

use std::{
    sync::{Arc, Mutex, Once},
    time::Duration,
};

use adapter_live::probe::{ProbedLink, Prober};
use domain_integrations::Networks;
use domain_live::link::{Probe, ProbeOutcome, StreamFormat};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket},
};

static TLS: Once = Once::new();

fn install_tls() {
    TLS.call_once(|| rustls::crypto::ring::default_provider().install_default().expect("installed once"));
}

fn prober(deadline: Duration) -> Prober {
    install_tls();
    Prober::with_deadline(Networks::parse("127.0.0.1").unwrap(), deadline).unwrap()
}

/// Packets of MPEG-TS without tables.
fn packets(count: usize) -> Vec<u8> {
    let mut packet = [0; 188];
    packet[..4].copy_from_slice(&[0x47, 0x01, 0x00, 0x10]);
    packet.repeat(count)
}

/// Frames of MP3.
fn frames(count: usize) -> Vec<u8> {
    let mut frame = [0; 417];
    frame[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0x00]);
    frame.repeat(count)
}

/// Beginning of a response without a length.
fn beginning(body: impl AsRef<[u8]>) -> Vec<u8> {
    [&b"HTTP/1.1 200 OK\r\n\r\n"[..], body.as_ref()].concat()
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn ok(body: impl AsRef<[u8]>) -> Vec<u8> {
    answer("200 OK", "", body.as_ref())
}

/// Headers of a response with a date one hour later.
const LATER: &str = "date: Fri, 27 Nov 2026 17:00:00 GMT\r\nretry-after: Fri, 27 Nov 2026 18:00:00 GMT\r\n";

fn redirect(to: &str) -> Vec<u8> {
    answer("302 Found", &format!("location: {to}\r\n"), b"")
}

/// A live playlist of these segments, from number 7.
fn live(segments: &[&str]) -> Vec<u8> {
    let list: Vec<String> = segments.iter().map(|uri| format!("#EXTINF:6,\n{uri}\n")).collect();
    ok(format!("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:7\n{}", list.concat()))
}

fn master(variants: &[(u64, &str)]) -> Vec<u8> {
    let one = |(bandwidth, uri): &(u64, &str)| {
        format!(
            "#EXT-X-STREAM-INF:BANDWIDTH={bandwidth},RESOLUTION=1280x{},CODECS=\"avc1\"\n{uri}\n",
            bandwidth / 1000
        )
    };
    ok(format!("#EXTM3U\n{}", variants.iter().map(one).collect::<Vec<_>>().concat()))
}

fn page() -> Vec<u8> {
    answer("200 OK", "content-type: text/html\r\n", b"<!DOCTYPE html><p>Su cuenta ha caducado")
}

/// A host that responds by path, with 404 for others; it rejects HEAD. `SOURCE` in a response is
/// its own URL. Responses of paths that begin with `/open` stay open without further data.
struct Host {
    address: String,
    answers: Arc<Vec<(&'static str, Vec<u8>)>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Host {
    async fn of(answers: Vec<(&'static str, Vec<u8>)>) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), answers)
    }

    fn on(listener: TcpListener, answers: Vec<(&'static str, Vec<u8>)>) -> Self {
        let address = listener.local_addr().unwrap().to_string();
        let answers = Arc::new(answers);
        let known = answers.clone();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = requests.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (answers, kept) = (known.clone(), kept.clone());
                tokio::spawn(async move {
                    let (mut request, mut length) = (vec![0; 8_192], 0);
                    while !request[..length].ends_with(b"\r\n\r\n") {
                        match stream.read(&mut request[length..]).await {
                            Ok(0) | Err(_) => return,
                            Ok(read) => length += read,
                        }
                    }
                    let request = String::from_utf8_lossy(&request[..length]).into_owned();
                    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                    let is_get = request.starts_with("GET ");
                    kept.lock().unwrap().push(request);
                    if path == "/hangs" {
                        std::future::pending::<()>().await;
                    }
                    if path == "/late.ts" {
                        tokio::time::sleep(Duration::from_millis(1_200)).await;
                    }
                    if path == "/endless.ts" {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
                        while stream.write_all(&packets(100)).await.is_ok() {}
                        return;
                    }
                    let missing = answer("404 Not Found", "", b"");
                    let found = answers.iter().find(|(known, _)| is_get && *known == path);
                    let found = found.map_or(&missing, |(_, found)| found);
                    let _ = stream.write_all(found).await;
                    if path.starts_with("/open") {
                        std::future::pending::<()>().await;
                    }
                });
            }
        });
        Self { address, answers, requests }
    }

    async fn probe(&self, path: &str, sequence: Option<u64>) -> Probe {
        let url = format!("http://{}{path}", self.address);
        prober(Duration::from_secs(2)).probe(&ProbedLink { url, sequence, ..ProbedLink::default() }).await
    }

    /// Probes these paths concurrently, each for at most a second.
    async fn probe_all(&self, paths: &[&str]) -> Vec<Probe> {
        let prober = Arc::new(prober(Duration::from_secs(1)));
        let mut probing = Vec::new();
        for path in paths {
            let url = format!("http://{}{path}", self.address);
            let link = ProbedLink { url, ..ProbedLink::default() };
            let prober = prober.clone();
            probing.push(tokio::spawn(async move { prober.probe(&link).await }));
        }
        let mut probes = Vec::new();
        for probe in probing {
            probes.push(probe.await.unwrap());
        }
        probes
    }

    fn paths(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().map(|request| request.split(' ').nth(1).unwrap_or_default().to_owned()).collect()
    }
}

#[tokio::test]
async fn the_content_decides_and_not_the_name() {
    use ProbeOutcome::{Auth, Busy, Empty, Geo, Http, NotMedia, Ok as Plays};
    let host = Host::of(vec![
        ("/film.html", ok(packets(20))),
        ("/page.m3u8", page()),
        ("/expired.ts", answer("200 OK", "content-type: video/mp2t\r\n", br#"{"user_info":{"auth":0}}"#)),
        ("/empty.ts", ok("")),
        ("/partial.ts", answer("206 Partial Content", "", &packets(20))),
        ("/moved.ts", redirect("/film.html")),
        ("/film.mp4", ok(b"\0\0\0\x18ftypmp42")),
        ("/401", answer("401 Unauthorized", "", b"")),
        ("/403", answer("403 Forbidden", "", b"")),
        ("/451", answer("451 Unavailable", "", b"")),
        ("/429", answer("429 Too Many Requests", "retry-after: 120\r\n", b"")),
        ("/later", answer("429 Too Many Requests", LATER, b"")),
        ("/503", answer("503 Service Unavailable", "", b"")),
        ("/busy", answer("503 Service Unavailable", "retry-after: 30\r\n", b"")),
        ("/loop", redirect("/loop")),
    ])
    .await;
    for (path, outcome, status) in [
        ("/film.html", Plays, None),
        ("/page.m3u8", NotMedia, None),
        ("/expired.ts", NotMedia, None),
        ("/empty.ts", Empty, None),
        ("/partial.ts", Plays, None),
        ("/moved.ts", Plays, None),
        ("/film.mp4", Plays, None),
        ("/gone.ts", Http, Some(404)),
        ("/401", Auth, Some(401)),
        ("/403", Auth, Some(403)),
        ("/451", Geo, Some(451)),
        ("/429", Busy, Some(429)),
        ("/503", Http, Some(503)),
        ("/busy", Busy, Some(503)),
        ("/loop", Http, None),
    ] {
        let probe = host.probe(path, None).await;
        assert_eq!((probe.outcome, probe.http_status), (outcome, status), "{path}");
    }
    assert_eq!(host.probe("/429", None).await.retry_after, Some(120));
    assert_eq!(host.probe("/later", None).await.retry_after, Some(3_600));
    assert_eq!(host.probe("/film.html", None).await.format, Some(StreamFormat::MpegTs));
}

#[tokio::test]
async fn a_live_playlist_is_probed_by_its_newest_segment_and_by_new_segments() {
    let host = Host::of(vec![
        ("/live.m3u8", live(&["a.ts", "b.ts"])),
        ("/rotated.m3u8", live(&["a.ts", "gone.ts"])),
        ("/dead.m3u8", live(&["gone.ts", "away.ts"])),
        ("/page.m3u8", live(&["page.ts"])),
        ("/none.m3u8", live(&[])),
        ("/a.ts", ok(packets(20))),
        ("/b.ts", ok(packets(20))),
        ("/page.ts", page()),
    ])
    .await;
    for (path, before, outcome, sequence) in [
        ("/live.m3u8", None, ProbeOutcome::Ok, Some(8)),
        ("/live.m3u8", Some(7), ProbeOutcome::Ok, Some(8)),
        ("/live.m3u8", Some(8), ProbeOutcome::Stalled, Some(8)),
        // The encoder was restarted.
        ("/live.m3u8", Some(4_000), ProbeOutcome::Ok, Some(8)),
        ("/rotated.m3u8", None, ProbeOutcome::Ok, Some(8)),
        ("/dead.m3u8", None, ProbeOutcome::Http, Some(8)),
        ("/page.m3u8", None, ProbeOutcome::NotMedia, Some(7)),
        ("/none.m3u8", None, ProbeOutcome::Empty, None),
    ] {
        let probe = host.probe(path, before).await;
        assert_eq!((probe.outcome, probe.sequence), (outcome, sequence), "{path} after {before:?}");
    }
}

#[tokio::test]
async fn a_truncated_playlist_is_probed_by_one_of_its_segments() {
    let host = Host::of(vec![
        ("/long.m3u8", live(&["a.ts"; 40_000])),
        ("/variant.m3u8", live(&["a.ts"; 9_000])),
        ("/all.m3u8", master(&[(480_000, "variant.m3u8")])),
        ("/gone.m3u8", live(&["gone.ts"; 9_000])),
        ("/none.m3u8", master(&[(1, "gone.m3u8"), (2, "gone.m3u8"), (3, "gone.m3u8"), (4, "gone.m3u8")])),
        ("/dead.m3u8", live(&["gone.ts"; 40_000])),
        ("/a.ts", ok(packets(20))),
    ])
    .await;
    for (path, outcome) in [
        ("/long.m3u8", ProbeOutcome::Ok),
        ("/all.m3u8", ProbeOutcome::Ok),
        ("/dead.m3u8", ProbeOutcome::Http),
        ("/none.m3u8", ProbeOutcome::Http),
    ] {
        // The newest segment is unknown, so the next probe can't report a stalled playlist.
        let probe = host.probe(path, None).await;
        assert_eq!((probe.outcome, probe.sequence), (outcome, None), "{path}");
    }
}

#[tokio::test]
async fn of_several_variants_the_least_is_opened_and_the_others_are_counted() {
    let host = Host::of(vec![
        ("/all.m3u8", master(&[(3_000_000, "high.m3u8"), (480_000, "low.m3u8")])),
        ("/half.m3u8", master(&[(3_000_000, "gone.m3u8"), (480_000, "low.m3u8")])),
        ("/lowest.m3u8", master(&[(3_000_000, "high.m3u8"), (480_000, "gone.m3u8")])),
        ("/dead.m3u8", master(&[(3_000_000, "gone.m3u8"), (480_000, "away.m3u8")])),
        ("/high.m3u8", live(&["a.ts"])),
        ("/low.m3u8", live(&["a.ts"])),
        ("/a.ts", ok(packets(20))),
    ])
    .await;
    for (path, outcome) in [
        ("/all.m3u8", ProbeOutcome::Ok),
        ("/half.m3u8", ProbeOutcome::Degraded),
        ("/lowest.m3u8", ProbeOutcome::Degraded),
        ("/dead.m3u8", ProbeOutcome::Http),
    ] {
        assert_eq!(host.probe(path, None).await.outcome, outcome, "{path}");
    }
    let probe = host.probe("/all.m3u8", None).await;
    assert_eq!((probe.variants, probe.height, probe.bitrate), (Some(2), Some(3_000), Some(3_000_000)));
    assert_eq!(probe.codecs.as_deref(), Some("avc1"));
}

#[tokio::test]
async fn dash_is_probed_by_an_initialisation_segment() {
    let manifest = |template: &str| {
        ok(format!(
            "<MPD><Period><AdaptationSet><SegmentTemplate initialization=\"{template}\"/>\
             <Representation id=\"v\" bandwidth=\"1\"/></AdaptationSet></Period></MPD>"
        ))
    };
    let host = Host::of(vec![
        ("/live.mpd", manifest("$RepresentationID$/init.mp4")),
        ("/dead.mpd", manifest("gone.mp4")),
        ("/none.mpd", ok("<MPD></MPD>")),
        ("/v/init.mp4", ok(b"\0\0\0\x18ftypiso6")),
    ])
    .await;
    for (path, outcome) in [
        ("/live.mpd", ProbeOutcome::Ok),
        ("/dead.mpd", ProbeOutcome::Http),
        ("/none.mpd", ProbeOutcome::Empty),
    ] {
        assert_eq!(host.probe(path, None).await.outcome, outcome, "{path}");
    }
}

#[tokio::test]
async fn a_hanging_or_late_host_takes_at_most_the_time_of_a_probe() {
    let host = Host::of(vec![("/late.ts", ok(packets(20))), ("/variant.m3u8", live(&["hangs"]))]).await;
    assert_eq!(host.probe("/hangs", None).await.outcome, ProbeOutcome::Timeout);
    assert_eq!(host.probe("/variant.m3u8", None).await.outcome, ProbeOutcome::Timeout);
    assert_eq!(host.probe("/late.ts", None).await.outcome, ProbeOutcome::Slow);
    assert_eq!(host.probe("/endless.ts", None).await.outcome, ProbeOutcome::Ok);
}

#[tokio::test]
async fn a_slow_stream_is_probed_by_its_bytes_before_the_deadline() {
    let host = Host::of(vec![
        ("/open/radio.mp3", beginning(frames(5))),
        // Fewer bytes than three packets of MPEG-TS are not evaluated before the deadline.
        ("/open/first.mp3", beginning(&frames(2)[..500])),
        // No table has its codecs.
        ("/open/untabled.ts", beginning(packets(20))),
        ("/open/page.ts", beginning("<!DOCTYPE html><p>Su cuenta ha caducado")),
        ("/open/nothing.ts", beginning("")),
        ("/open/cut.m3u8", beginning("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXTINF:6,\n")),
        ("/open/cut.mpd", beginning("<MPD><Period>")),
        ("/a.ts", ok(packets(20))),
    ])
    .await;
    let expected = [
        ("/open/radio.mp3", ProbeOutcome::Ok, Some(StreamFormat::Audio)),
        ("/open/first.mp3", ProbeOutcome::Slow, Some(StreamFormat::Audio)),
        ("/open/untabled.ts", ProbeOutcome::Ok, Some(StreamFormat::MpegTs)),
        ("/open/page.ts", ProbeOutcome::NotMedia, None),
        ("/open/nothing.ts", ProbeOutcome::Timeout, None),
        ("/open/cut.m3u8", ProbeOutcome::Timeout, None),
        ("/open/cut.mpd", ProbeOutcome::Timeout, None),
    ];
    let probes = host.probe_all(&expected.map(|(path, ..)| path)).await;
    for ((path, outcome, format), probe) in expected.into_iter().zip(probes) {
        assert_eq!((probe.outcome, probe.format), (outcome, format), "{path}");
    }
}

#[tokio::test]
async fn a_master_playlist_plays_although_those_of_other_variants_are_late() {
    let host = Host::of(vec![
        ("/slow.m3u8", master(&[(480_000, "low.m3u8"), (3_000_000, "hangs")])),
        ("/cut.m3u8", master(&[(480_000, "low.m3u8"), (3_000_000, "open/cut.m3u8")])),
        ("/half.m3u8", master(&[(480_000, "low.m3u8"), (800_000, "gone.m3u8"), (3_000_000, "hangs")])),
        ("/none.m3u8", master(&[(480_000, "hangs"), (3_000_000, "low.m3u8")])),
        ("/low.m3u8", live(&["a.ts"])),
        ("/open/cut.m3u8", beginning("#EXTM3U\n#EXT-X-TARGETDURATION:6\n")),
        ("/a.ts", ok(packets(20))),
    ])
    .await;
    let expected = [
        ("/slow.m3u8", ProbeOutcome::Ok, Some(2)),
        ("/cut.m3u8", ProbeOutcome::Ok, Some(2)),
        ("/half.m3u8", ProbeOutcome::Degraded, Some(3)),
        ("/none.m3u8", ProbeOutcome::Timeout, None),
    ];
    let probes = host.probe_all(&expected.map(|(path, ..)| path)).await;
    for ((path, outcome, variants), probe) in expected.into_iter().zip(probes) {
        assert_eq!((probe.outcome, probe.variants), (outcome, variants), "{path}");
    }
    let read = host.paths().iter().filter(|path| *path == "/low.m3u8").count();
    assert_eq!(read, 3, "after the deadline nothing is requested");
}

#[tokio::test]
async fn a_station_of_shoutcast_1_is_probed_by_its_body() {
    use ProbeOutcome::{Busy, Empty, Http, NotMedia, Ok as Plays, Timeout};
    let icy = |status: &str, body: &[u8]| {
        let headers = "icy-notice1:<BR>Requires Winamp<BR>\r\nicy-name:Radio\r\ncontent-type:audio/mpeg";
        [format!("ICY {status}\r\n{headers}\r\n\r\n").as_bytes(), body].concat()
    };
    let host = Host::of(vec![
        ("/radio", icy("200 OK", &frames(5))),
        ("/open/radio", icy("200 OK", &frames(5))),
        ("/page", icy("200 OK", b"<!DOCTYPE html>")),
        ("/empty", icy("200 OK", b"")),
        ("/open/empty", icy("200 OK", b"")),
        ("/full", icy("400 Server Full", b"")),
        ("/off", icy("401 Service Unavailable", b"")),
    ])
    .await;
    let expected = [
        ("/radio", Plays, None, Some("MP3")),
        ("/open/radio", Plays, None, Some("MP3")),
        ("/page", NotMedia, None, None),
        ("/empty", Empty, None, None),
        ("/open/empty", Timeout, None, None),
        ("/full", Busy, Some(400), None),
        ("/off", Http, Some(401), None),
    ];
    let probes = host.probe_all(&expected.map(|(path, ..)| path)).await;
    for ((path, outcome, status, codecs), probe) in expected.into_iter().zip(probes) {
        let found = (probe.outcome, probe.http_status, probe.codecs.as_deref());
        assert_eq!(found, (outcome, status, codecs), "{path}");
    }
}

#[tokio::test]
async fn a_response_without_a_head_is_probed_and_one_with_an_invalid_head_is_inconclusive() {
    let host = Host::of(vec![
        ("/raw.ts", packets(20)),
        ("/other.ts", b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()),
        ("/unreadable.ts", [&b"HTTP/1.1 200 OK\r\nno header\r\n\r\n"[..], packets(20).as_slice()].concat()),
    ])
    .await;
    let expected = [
        ("/raw.ts", ProbeOutcome::Ok),
        ("/other.ts", ProbeOutcome::NotMedia),
        ("/unreadable.ts", ProbeOutcome::NotChecked),
    ];
    let probes = host.probe_all(&expected.map(|(path, _)| path)).await;
    for ((path, outcome), probe) in expected.into_iter().zip(probes) {
        assert_eq!(probe.outcome, outcome, "{path}");
    }
}

#[tokio::test]
async fn each_connection_failure_has_its_outcome() {
    let host = Host::of(Vec::new()).await;
    // Plain TCP without TLS.
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain_address = plain.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        let _ = stream.write_all(&answer("400 Bad Request", "", b"")).await;
        let _ = stream.read(&mut [0; 4_096]).await;
    });
    // Bound, so that no other process gets its port, and not listening.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let closed = socket.local_addr().unwrap();
    // A label is too long: no name server is needed to reject the name.
    for (url, outcome) in [
        (format!("http://{closed}/a.ts"), ProbeOutcome::Connect),
        (format!("https://{plain_address}/a.ts"), ProbeOutcome::Tls),
        (format!("http://{}.example/a.ts", "a".repeat(64)), ProbeOutcome::Name),
        (format!("rtmp://{}/live", host.address), ProbeOutcome::Ok),
        (format!("rtsp://{closed}/live"), ProbeOutcome::Connect),
        ("udp://239.0.0.1:1234".to_owned(), ProbeOutcome::NotChecked),
        ("srt://h.example:1?mode=listener".to_owned(), ProbeOutcome::NotChecked),
    ] {
        let link = ProbedLink { url: url.clone(), ..ProbedLink::default() };
        assert_eq!(prober(Duration::from_secs(2)).probe(&link).await.outcome, outcome, "{url}");
    }
}

#[tokio::test]
async fn a_probe_is_a_ranged_get_with_the_headers_of_the_link() {
    let host = Host::of(vec![("/a.ts", ok(packets(20)))]).await;
    let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let link = ProbedLink {
        url: format!("http://{}/a.ts", host.address),
        headers: vec![own("User-Agent", "VLC"), own("Referer", "https://h.example/"), own("Host", "other")],
        sequence: None,
    };
    prober(Duration::from_secs(2)).probe(&link).await;
    let requests = host.requests.lock().unwrap().clone();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    for expected in
        ["GET /a.ts ", "user-agent: VLC\r\n", "referer: https://h.example/", "range: bytes=0-524287"]
    {
        assert!(request.contains(expected), "{request}");
    }
    assert!(!request.contains("other"), "{request}");
    assert_eq!(host.paths(), ["/a.ts"]);
}
