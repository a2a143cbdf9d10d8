//! URLs of streams, in addition to the web URLs of the kernel.

domain_kernel::address! {
    /// A stream URL.
    StreamUrl, stream_address,
    ["http", "https", "rtmp", "rtmps", "rtsp", "rtp", "udp", "srt", "mms"], "https://cdn.example.com/dune.m3u8"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(result: garde::Result) -> String {
        result
            .map_or_else(|error| error.message().split('\u{1f}').next().unwrap().to_owned(), |()| "ok".into())
    }

    #[test]
    fn stream_urls_may_have_streaming_schemes() {
        for scheme in StreamUrl::SCHEMES {
            assert_eq!(
                code(stream_address(&format!("{scheme}://host.example:1234/x"), &())),
                "ok",
                "{scheme}"
            );
        }
        assert_eq!(code(stream_address("udp://@239.0.0.1:1234", &())), "ok");
        assert_eq!(code(stream_address("ftp://host.example/x", &())), "INVALID_SCHEME");
        assert_eq!(code(stream_address("javascript://x.example/%0Aalert(1)", &())), "INVALID_SCHEME");
    }
}
