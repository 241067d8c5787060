use std::process::Command;

use super::shell_quoted;

#[test]
fn a_quoted_word_comes_out_of_a_shell_as_it_went_in() {
    for word in ["/usr/bin/repose", "/opt/my app/it's \"here\"/$HOME `x` \\ repose", "", "'", "a\nb", "-e"] {
        let script = format!("printf %s {}", shell_quoted(word));
        let out = Command::new("/bin/sh").args(["-c", &script]).env_clear().output().expect("sh runs");
        assert_eq!(String::from_utf8_lossy(&out.stdout), word);
    }
}
