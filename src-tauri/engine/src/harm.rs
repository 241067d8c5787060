//! Damage to what engines write, for tests: a program that was killed as it wrote, a full disk, another that wrote
//! in between.

use proptest::prelude::*;

/// How bytes may be damaged: one is changed, some are removed, some are inserted, or a stretch is repeated.
#[derive(Debug, Clone)]
pub(crate) enum Harm {
    Other(usize, u8),
    Gone(usize, usize),
    Between(usize, Vec<u8>),
    Twice(usize, usize),
}

/// One at random.
pub(crate) fn harm() -> impl Strategy<Value = Harm> {
    let odd = prop::sample::select(&b"\0\n\"\\{}[]:,\x1b\xff\xc3 9-"[..]);
    prop_oneof![
        (any::<usize>(), odd.clone()).prop_map(|(at, byte)| Harm::Other(at, byte)),
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Harm::Other(at, byte)),
        (any::<usize>(), 1..200_usize).prop_map(|(at, length)| Harm::Gone(at, length)),
        (any::<usize>(), prop::collection::vec(odd, 1..8)).prop_map(|(at, bytes)| Harm::Between(at, bytes)),
        (any::<usize>(), 1..500_usize).prop_map(|(at, length)| Harm::Twice(at, length)),
    ]
}

/// These bytes with all of these harms, one after another.
pub(crate) fn harmed(seed: &[u8], harms: &[Harm]) -> Vec<u8> {
    harms.iter().fold(seed.to_vec(), |mut bytes, harm| {
        let place = |at: usize| at % (bytes.len() + 1);
        match harm {
            Harm::Other(at, byte) => {
                let at = place(*at);
                if let Some(old) = bytes.get_mut(at) {
                    *old = *byte;
                }
            }
            Harm::Gone(at, length) => {
                let at = place(*at);
                bytes.drain(at..(at + length).min(bytes.len()));
            }
            Harm::Between(at, between) => {
                let at = place(*at);
                bytes.splice(at..at, between.iter().copied());
            }
            Harm::Twice(at, length) => {
                let at = place(*at);
                let again = bytes[at..(at + length).min(bytes.len())].to_vec();
                bytes.splice(at..at, again);
            }
        }
        bytes
    })
}
