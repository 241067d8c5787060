//! The tray's pictures, in the sizes that panels have. `scripts/icons.sh` draws them.

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

/// One icon in every size, as the panel takes it.
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
}
