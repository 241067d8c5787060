//! What the window's program is built with, read from `tauri.conf.json`. Without the feature nothing is done.

fn main() {
    #[cfg(feature = "window")]
    tauri_build::build();
}
