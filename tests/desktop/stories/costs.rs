//! What the app costs, compared with its budgets; for a person to read. `make bench` runs it.

use std::time::{Duration, Instant};

use crate::app::Desk;
use crate::processor;
use crate::support::processes::Process;

/// How long the processor time is measured.
const WATCHED: Duration = Duration::from_secs(60);

#[test]
#[ignore = "a measurement, not a test: `make bench` runs it"]
#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn what_the_app_costs() {
    let mut desk = Desk::new("");
    let began = Instant::now();
    desk.launch(&["--hidden"]);
    println!("start to answering, hidden     {:>7.0} ms", began.elapsed().as_secs_f64() * 1e3);
    desk.add();
    desk.panel().line("work");
    println!("never opened                   {:>7.1} MB   budget 60 MB", megabytes(&desk));
    let before = processor(&desk);
    std::thread::sleep(WATCHED);
    let used = (processor(&desk) - before).as_secs_f64() / WATCHED.as_secs_f64() * 100.0;
    println!("idle for {} s                  {used:>7.2} % of a core   budget 0.1 %", WATCHED.as_secs());
    for time in ["first", "again"] {
        let began = Instant::now();
        assert!(desk.second_start(&[]).success());
        let window = desk.screen.window("Repose");
        println!(
            "window visible, {time}          {:>7.0} ms   budget 1,000 ms",
            began.elapsed().as_secs_f64() * 1e3
        );
        desk.eventually("the page's process", || {
            let web = |process: &Process| process.command.contains("WebKitWebProcess");
            desk.processes().iter().any(web).then_some(())
        });
        std::thread::sleep(Duration::from_secs(3)); // the page settles; nothing tells when
        println!("window open                    {:>7.1} MB   budget 260 MB", megabytes(&desk));
        desk.screen.close(&window);
        desk.no_window();
        println!("window closed again            {:>7.1} MB   budget 60 MB", megabytes(&desk));
    }
}

/// The PSS of the app and everything that belongs to it, in bytes.
fn megabytes(desk: &Desk) -> f64 {
    ours(desk).iter().map(Process::memory).sum::<u64>() as f64 / 1e6
}

/// Their processor time.
fn processor(desk: &Desk) -> Duration {
    ours(desk).iter().map(processor::used).sum()
}

fn ours(desk: &Desk) -> Vec<Process> {
    let starts =
        |process: &Process| process.command.contains("repose-") || process.command.contains("WebKit");
    desk.processes().into_iter().filter(starts).collect()
}
