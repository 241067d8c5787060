//! The model stand-in as a program, for trying things by hand: `cargo run --example model [PORT]` prints its
//! address and serves until it is ended.

#[path = "model.rs"]
#[expect(dead_code, reason = "by hand nobody waits for requests or opens gates")]
mod model;

#[expect(clippy::print_stdout, reason = "the address is what this program is started for")]
fn main() {
    let port = std::env::args().nth(1).map_or(0, |port| port.parse().expect("a port number"));
    let model = model::Model::start_on(port);
    println!("{}", model.url());
    loop {
        std::thread::park();
    }
}
