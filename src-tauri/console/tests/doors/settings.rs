//! Settings, changed over HTTP.

use super::{Answer, Doors};

impl Doors {
    fn patch(&self, body: &str) -> Answer {
        let head = format!(
            "PATCH /api/settings HTTP/1.1\r\nConnection: close\r\nHost: {}\r\n{}\r\nOrigin: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.address(),
            self.token(),
            self.console,
            body.len()
        );
        Answer(self.raw(&[head.as_bytes(), body.as_bytes()].concat()))
    }

    fn file(&self) -> String {
        std::fs::read_to_string(self.home.config_file()).unwrap_or_default()
    }
}

#[test]
fn changes_one_after_another_all_stay_however_fast_they_come() {
    let doors = Doors::open();
    std::fs::write(doors.home.config_file(), "# mine\nidle_after = \"5h\"\n").expect("a writable folder");
    // Nobody waits until the change before is in force.
    for body in [
        "{\"resume_within_ms\":172800000}",
        "{\"max_live\":3}",
        "{\"notify\":{\"reaped\":false,\"fresh\":true,\"needs_you\":true,\"finished\":true,\"trouble\":true}}",
    ] {
        assert_eq!(doors.patch(body).status(), 200, "{body}");
    }
    let file = doors.file();
    for kept in
        ["# mine", "idle_after = \"5h\"", "resume_within = \"2days\"", "max_live = 3", "reaped = false"]
    {
        assert!(file.contains(kept), "{kept} is gone: {file}");
    }
    doors.close();
}

#[test]
fn what_makes_no_sense_is_refused_and_the_file_stays() {
    let doors = Doors::open();
    let before = "idle_after = \"5h\"\n";
    std::fs::write(doors.home.config_file(), before).expect("a writable folder");
    for body in ["{\"resume_within_ms\":60000}", "{\"idle_after_ms\":1}", "{\"idle\":1}", "{\"max_live\":-1}"]
    {
        let refused = doors.patch(body);
        assert!([400, 422].contains(&refused.status()), "{body}: {refused:?}");
        assert!(refused.0.contains("\"message\""), "{body}: {refused:?}");
        assert_eq!(doors.file(), before, "{body}");
    }
    doors.close();
}
