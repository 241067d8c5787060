//! `repose hold` and `repose hook` for the tests of this crate: the real program belongs to a crate above.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match (args.next().as_deref().and_then(|verb| verb.to_str()), args.next()) {
        (Some("hold"), Some(dir)) => match repose_hold::serve(Path::new(&dir)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                // Without standard error there is nobody to tell.
                let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes());
                ExitCode::FAILURE
            }
        },
        (Some("hook"), word) => {
            repose_hold::hook::run(word.as_deref());
            ExitCode::SUCCESS
        }
        _ => ExitCode::from(2),
    }
}
