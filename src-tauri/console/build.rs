//! Sees to it that the page's folder is there to be embedded, and that a page that was built anew is embedded
//! anew. Building the page takes npm and is the Makefile's business: without it the crate compiles, and has
//! no page.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let page = Path::new("../../ui/dist");
    std::fs::create_dir_all(page)?;
    println!("cargo::rerun-if-changed={}", page.display());
    Ok(())
}
