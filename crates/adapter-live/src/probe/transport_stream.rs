//! Detects MPEG-TS by consecutive packets, and reads its tables.

use mpeg2ts_reader::{
    StreamType,
    demultiplex::{
        Demultiplex, DemuxContext, FilterChangeset, FilterRequest, NullPacketFilter, PatPacketFilter,
        PmtPacketFilter,
    },
    packet_filter_switch, psi,
};

const PACKET: usize = 188;
const SYNC: u8 = 0x47;
/// Minimum consecutive packets.
const IN_STEP: usize = 3;
/// Bytes sufficient for the detection at any position; fewer can be another format.
pub(super) const KNOWN_BY: usize = IN_STEP * PACKET;
/// PID of padding packets.
const PADDING: u16 = 0x1fff;

/// A transport stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TransportStream {
    /// Codecs of the table of streams, which a short stream may lack.
    pub(super) codecs: Option<String>,
    /// Whether it has padding only.
    pub(super) is_padding: bool,
}

/// Parses a transport stream; `None` for other content. A live one may begin within a packet.
pub(super) fn transport_stream(bytes: &[u8]) -> Option<TransportStream> {
    let begins = |start: &usize| (0..IN_STEP).all(|packet| bytes.get(start + packet * PACKET) == Some(&SYNC));
    let start = (0..PACKET).find(begins)?;
    let whole = (bytes.len() - start) / PACKET * PACKET;
    let packets = &bytes[start..start + whole];
    let pid = |packet: &[u8]| u16::from(packet[1] & 0x1f) << 8 | u16::from(packet[2]);
    let is_padding = packets.chunks_exact(PACKET).all(|packet| pid(packet) == PADDING);
    let mut tables = Tables { changes: FilterChangeset::default(), codecs: Vec::new() };
    let mut demultiplex = Demultiplex::new(&mut tables);
    demultiplex.push(&mut tables, packets);
    let codecs = (!tables.codecs.is_empty()).then(|| tables.codecs.join(","));
    Some(TransportStream { codecs, is_padding })
}

packet_filter_switch! {
    Filter<Tables> {
        Programs: PatPacketFilter<Tables>,
        Streams: PmtPacketFilter<Tables>,
        Nothing: NullPacketFilter<Tables>,
    }
}

/// Content of the tables of a stream.
pub struct Tables {
    changes: FilterChangeset<Filter>,
    codecs: Vec<&'static str>,
}

impl DemuxContext for Tables {
    type F = Filter;

    fn filter_changeset(&mut self) -> &mut FilterChangeset<Filter> {
        &mut self.changes
    }

    fn construct(&mut self, request: FilterRequest<'_, '_>) -> Filter {
        match request {
            FilterRequest::ByPid(psi::pat::PAT_PID) => Filter::Programs(PatPacketFilter::default()),
            FilterRequest::Pmt { pid, program_number } => {
                Filter::Streams(PmtPacketFilter::new(pid, program_number))
            }
            FilterRequest::ByStream { stream_type, .. } => {
                let codec = codec_of(stream_type);
                self.codecs.extend(codec.filter(|codec| !self.codecs.contains(codec)));
                Filter::Nothing(NullPacketFilter::default())
            }
            FilterRequest::ByPid(_) | FilterRequest::Nit { .. } => {
                Filter::Nothing(NullPacketFilter::default())
            }
        }
    }
}

const fn codec_of(stream: StreamType) -> Option<&'static str> {
    Some(match stream {
        StreamType::ISO_11172_VIDEO => "MPEG-1",
        StreamType::H262 => "MPEG-2",
        StreamType::H264 => "H.264",
        StreamType::H265 => "H.265",
        StreamType::ISO_11172_AUDIO | StreamType::ISO_138183_AUDIO => "MP2",
        StreamType::ADTS | StreamType::LATM => "AAC",
        StreamType::ATSC_DOLBY_DIGITAL_AUDIO => "AC-3",
        _ => return None,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// CRC-32 of MPEG-2 at the end of a table.
    fn checksum(bytes: &[u8]) -> [u8; 4] {
        let mut crc = u32::MAX;
        for byte in bytes {
            crc ^= u32::from(*byte) << 24;
            for _ in 0..8 {
                crc = if crc & 0x8000_0000 == 0 { crc << 1 } else { (crc << 1) ^ 0x04c1_1db7 };
            }
        }
        crc.to_be_bytes()
    }

    fn packet(pid: u16, payload: &[u8]) -> Vec<u8> {
        let [high, low] = pid.to_be_bytes();
        let mut packet = vec![SYNC, 0x40 | high, low, 0x10];
        packet.extend_from_slice(payload);
        packet.resize(PACKET, 0xff);
        packet
    }

    fn table(pid: u16, body: &[u8]) -> Vec<u8> {
        let mut section = body.to_vec();
        section.extend(checksum(body));
        packet(pid, &[&[0], section.as_slice()].concat())
    }

    /// A transport stream of H.264 and AAC.
    pub(in crate::probe) fn sample() -> Vec<u8> {
        let programs = table(0, &[0x00, 0xb0, 0x0d, 0, 1, 0xc1, 0, 0, 0, 1, 0xe1, 0x00]);
        let streams = table(
            0x100,
            &[
                0x02, 0xb0, 0x17, 0, 1, 0xc1, 0, 0, 0xe1, 0x01, 0xf0, 0, 0x1b, 0xe1, 0x01, 0xf0, 0, 0x0f,
                0xe1, 0x02, 0xf0, 0,
            ],
        );
        [programs, streams, packet(0x101, &[0; 100]), packet(0x102, &[0; 100])].concat()
    }

    #[test]
    fn its_tables_name_its_codecs_also_where_it_begins_within_a_packet() {
        let expected = TransportStream { codecs: Some("H.264,AAC".into()), is_padding: false };
        assert_eq!(transport_stream(&sample()), Some(expected.clone()));
        let late = [&[0x12; 77], sample().as_slice(), &[SYNC, 0x1f]].concat();
        assert_eq!(transport_stream(&late), Some(expected));
    }

    #[test]
    fn padding_alone_is_said() {
        let padding = packet(PADDING, &[]).repeat(20);
        assert_eq!(transport_stream(&padding), Some(TransportStream { codecs: None, is_padding: true }));
    }

    #[test]
    fn other_bytes_are_none() {
        assert_eq!(transport_stream(&[0x47; 200]), None);
        assert_eq!(transport_stream("G<html>".repeat(500).as_bytes()), None);
    }

    proptest! {
        #[test]
        fn broken_streams_are_read_without_a_panic(
            damage in vec((0_usize..752, any::<u8>()), 0..40),
            cut in 0_usize..752,
        ) {
            let mut bytes = sample();
            for (place, byte) in damage {
                bytes[place] = byte;
            }
            for packet in 0..3 {
                bytes[packet * PACKET] = SYNC;
            }
            drop(transport_stream(&bytes[..bytes.len() - cut]));
        }
    }
}
