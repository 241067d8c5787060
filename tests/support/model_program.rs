//! The model stand-in as a program, for trying things by hand and for stories in other languages: `cargo run
//! --example model [PORT]` prints its address and serves until it is ended. A line on its standard input
//! opens the gate `HOLD{line}`.

#[path = "model/mod.rs"]
#[expect(dead_code, reason = "nobody outside waits for requests")]
mod model;

#[expect(clippy::print_stdout, reason = "the address is what this program is started for")]
fn main() {
    let port = std::env::args().nth(1).map_or(0, |port| port.parse().expect("a port number"));
    let model = model::Model::start_on(port);
    println!("{}", model.url());
    for gate in std::io::stdin().lines().map_while(Result::ok) {
        model.release(gate.trim());
    }
    loop {
        std::thread::park();
    }
}
