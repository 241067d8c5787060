//! What a parser says of the settings file, in plain words.

/// What is wrong and what to write, from a parser's words.
pub(super) fn plain(said: &str) -> String {
    if let Some(unknown) = said.strip_prefix("unknown field ") {
        let (name, known) = unknown.split_once(", expected ").unwrap_or((unknown, "others"));
        return format!("there is no setting {name} here; there is {}", known.trim_start_matches("one of "));
    }
    let unfit = said.strip_prefix("invalid type: ").or_else(|| said.strip_prefix("invalid value: "));
    match unfit.and_then(|unfit| unfit.rsplit_once(", expected ")) {
        Some((is, belongs)) => format!("{} stands where {} belongs", found(is), wanted(belongs)),
        None => format!("this can't be read ({said}); a setting is written like `idle_after = \"6h\"`"),
    }
}

fn found(is: &str) -> String {
    let (kind, value) = is.split_once(' ').unwrap_or((is, ""));
    match (kind, value.trim_matches('`')) {
        ("string", value) => format!("the text {value}"),
        ("integer", value) => format!("the number {value}"),
        ("floating", value) => format!("the number {}", value.trim_start_matches("point `")),
        ("boolean", value) => format!("`{value}`"),
        ("map", _) => "a section".into(),
        ("sequence", _) => "a list".into(),
        (_, _) => is.into(),
    }
}

fn wanted(belongs: &str) -> &str {
    match belongs {
        "a boolean" => "`true` or `false`",
        "a string" => "a text in quotes",
        "u16" => "a number from 0 to 65535",
        "a sequence" => "a list such as `[\"one\", \"two\"]`",
        "a map" => "a section",
        section if section.starts_with("struct ") => "a section",
        other => other,
    }
}
