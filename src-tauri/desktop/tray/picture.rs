//! The tray's pictures, in the sizes that panels use. `scripts/icons.sh` draws them.

use super::menu::Icon;

macro_rules! sizes {
    ($name:literal) => {
        [
            include_bytes!(concat!("../../../icons/tray/", $name, "-16.png")).as_slice(),
            include_bytes!(concat!("../../../icons/tray/", $name, "-22.png")).as_slice(),
            include_bytes!(concat!("../../../icons/tray/", $name, "-32.png")).as_slice(),
            include_bytes!(concat!("../../../icons/tray/", $name, "-48.png")).as_slice(),
        ]
    };
}

/// One icon in every size, in the form that panels take.
pub(super) fn of(icon: Icon) -> Vec<ksni::Icon> {
    let sizes = match icon {
        Icon::Calm => sizes!("calm"),
        Icon::Working => sizes!("working"),
        Icon::NeedsYou => sizes!("needs-you"),
        Icon::AllPaused => sizes!("paused"),
        Icon::Trouble => sizes!("trouble"),
    };
    sizes.into_iter().filter_map(|file| decode(file).ok()).collect()
}

/// Pixels as alpha, red, green, blue.
fn decode(file: &[u8]) -> Result<ksni::Icon, png::DecodingError> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info()?;
    let size = reader.output_buffer_size().unwrap_or_default();
    let mut data = vec![0; size];
    let info = reader.next_frame(&mut data)?;
    data.truncate(info.buffer_size());
    for pixel in data.chunks_exact_mut(4) {
        pixel.rotate_right(1);
    }
    let side = |pixels: u32| i32::try_from(pixels).unwrap_or_default();
    Ok(ksni::Icon { width: side(info.width), height: side(info.height), data })
}

#[cfg(test)]
mod tests {
    use super::{Icon, of};

    #[test]
    fn every_icon_can_be_read_in_every_size_and_is_not_another_one() {
        let all = [Icon::Calm, Icon::Working, Icon::NeedsYou, Icon::AllPaused, Icon::Trouble].map(of);
        for (at, pictures) in all.iter().enumerate() {
            let sides: Vec<_> = pictures.iter().map(|picture| (picture.width, picture.height)).collect();
            assert_eq!(sides, [(16, 16), (22, 22), (32, 32), (48, 48)]);
            for picture in pictures {
                let pixels = usize::try_from(picture.width * picture.height).expect("small");
                assert_eq!(picture.data.len(), 4 * pixels);
            }
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            for (_, other) in others {
                assert_ne!(pictures.first().map(|one| &one.data), other.first().map(|one| &one.data));
            }
        }
    }

    /// The least number of distinct or differing pixels in the smallest size: with fewer, the eye sees a
    /// smudge.
    const STANDS_OUT: usize = 32;
    const DIFFERS: usize = 16;

    #[test]
    fn the_smallest_size_can_be_read_in_a_light_and_in_a_dark_panel_and_is_not_another_one() {
        let all = [Icon::Calm, Icon::Working, Icon::NeedsYou, Icon::AllPaused, Icon::Trouble];
        for panel in [[0xff_u8; 3], [0x1e; 3]] {
            let seen = all.map(|icon| {
                let smallest = of(icon).into_iter().next().expect("a picture");
                smallest.data.chunks_exact(4).map(|pixel| over(pixel, panel)).collect::<Vec<_>>()
            });
            for (at, icon) in seen.iter().enumerate() {
                let stands_out = icon.iter().filter(|pixel| contrast(**pixel, panel.map(f64::from)) >= 3.0);
                assert!(stands_out.count() >= STANDS_OUT, "{:?} on {panel:?}", all[at]);
                for (other, another) in seen.iter().enumerate().skip(at + 1) {
                    let differs = icon.iter().zip(another).filter(|(one, other)| {
                        one.iter().zip(*other).map(|(one, other)| (one - other).abs()).sum::<f64>() >= 120.0
                    });
                    assert!(differs.count() >= DIFFERS, "{:?} and {:?} on {panel:?}", all[at], all[other]);
                }
            }
        }
    }

    /// The colour of a pixel on a panel of this colour.
    fn over(pixel: &[u8], panel: [u8; 3]) -> [f64; 3] {
        let share = f64::from(pixel[0]) / 255.0;
        [0, 1, 2].map(|at| f64::from(pixel[at + 1]) * share + f64::from(panel[at]) * (1.0 - share))
    }

    /// The contrast of two colours, from 1 to 21, by the Web Content Accessibility Guidelines 2.2.
    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let light = |colour: [f64; 3]| {
            let [red, green, blue] = colour.map(|part| {
                let part = part / 255.0;
                if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let (one, other) = (light(one), light(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }
}
