use proptest::prelude::*;

use super::*;

fn reads(bytes: &[u8]) -> io::Result<Option<Frame>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(Frames::new(bytes).next())
}

#[test]
fn a_frame_comes_back_as_it_went() {
    let frame = reads(&bytes(OUTPUT, b"abc")).unwrap().unwrap();
    assert_eq!(frame, Frame { kind: OUTPUT, body: Bytes::from_static(b"abc") });
}

#[test]
fn an_end_between_frames_is_an_end() {
    assert_eq!(reads(b"").unwrap(), None);
}

#[test]
fn an_end_within_a_frame_is_an_error() {
    for cut in 1..8 {
        assert!(reads(&bytes(OUTPUT, b"abc")[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn garbage_is_refused_before_it_is_stored() {
    for garbage in [&b"\0\0\0\0"[..], b"GET / HTTP/1.1\r\n", &[0xff; 16], &[0x01, 0, 0x10, 0, INPUT]] {
        assert_eq!(reads(garbage).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}

#[test]
fn an_empty_body_is_a_frame() {
    assert_eq!(reads(&bytes(0x55, b"")).unwrap(), Some(Frame { kind: 0x55, body: Bytes::new() }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_is_frames_or_refused(
        whole in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..40)), 0..4),
        junk in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut stream = Vec::new();
        for (kind, body) in &whole {
            stream.extend_from_slice(&bytes(*kind, body));
        }
        stream.extend_from_slice(&junk);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let read = runtime.block_on(async {
            let mut frames = Frames::new(stream.as_slice());
            let mut read = Vec::new();
            while let Ok(Some(frame)) = frames.next().await {
                read.push((frame.kind, frame.body.to_vec()));
            }
            read
        });
        // Those that came whole are there; junk can look like further ones.
        prop_assert!(read.starts_with(&whole), "{read:?} of {whole:?}");
    }
}
