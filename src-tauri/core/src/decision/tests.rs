use super::{Choice, ChoiceKind, Pick, Question, Unfit, WORDS_MAX};
use crate::ids::ConversationId;
use crate::signal::Wait;

fn question() -> Question {
    let kinds = [
        ("allow", ChoiceKind::Allow),
        ("deny", ChoiceKind::Deny),
        ("0", ChoiceKind::Other),
        ("words", ChoiceKind::Words),
        ("back", ChoiceKind::Back),
    ];
    let choices = kinds.map(|(id, kind)| Choice {
        id: id.into(),
        label: id.into(),
        description: None,
        preview: None,
        kind,
    });
    Question {
        conversation: ConversationId::new("c1"),
        wait: Wait::Choice("Which?".into()),
        detail: None,
        detail_cut: false,
        choices: choices.into(),
    }
}

fn pick(choice: &str, words: Option<&str>) -> Pick {
    Pick { choice: choice.into(), words: words.map(Into::into) }
}

fn takes(choice: &str, words: Option<&str>) -> Result<ChoiceKind, Unfit> {
    question().takes(&pick(choice, words))
}

#[test]
fn the_log_tells_what_was_picked_and_the_beginning_of_ones_own_words() {
    let told = |choice: &str, words: Option<&str>| question().told(&pick(choice, words));
    assert_eq!(told("allow", None).as_deref(), Some("allow"));
    assert_eq!(told("words", Some("sea green")).as_deref(), Some("words: sea green"));
    assert_eq!(told("words", Some(&"ü".repeat(999))), Some(format!("words: {}", "ü".repeat(200))));
    assert_eq!(told("1", None), None);
}

#[test]
fn words_go_with_the_one_option_that_takes_them_and_with_no_other() {
    for (choice, kind) in [
        ("allow", ChoiceKind::Allow),
        ("deny", ChoiceKind::Deny),
        ("0", ChoiceKind::Other),
        ("back", ChoiceKind::Back),
    ] {
        assert_eq!(takes(choice, None), Ok(kind), "{choice}");
        assert_eq!(takes(choice, Some("x")), Err(Unfit::TakesNoWords), "{choice}");
    }
    assert_eq!(takes("words", Some("mauve,\n\tor so: ü")), Ok(ChoiceKind::Words));
    for none in [None, Some(""), Some(" \n\t")] {
        assert_eq!(takes("words", none), Err(Unfit::Empty), "{none:?}");
    }
    assert_eq!(takes("1", None), Err(Unfit::NoSuchChoice));
    assert_eq!(takes("1", Some("x")), Err(Unfit::NoSuchChoice));
}

#[test]
fn words_are_bounded_and_hold_no_control_character() {
    assert_eq!(takes("words", Some(&"x".repeat(WORDS_MAX))), Ok(ChoiceKind::Words));
    let size = WORDS_MAX + 1;
    assert_eq!(takes("words", Some(&"x".repeat(size))), Err(Unfit::TooLong { size }));
    for character in ['\r', '\u{1b}', '\0', '\u{7f}', '\u{9b}'] {
        let unfit = Unfit::Control { character, at: 3 };
        assert_eq!(takes("words", Some(&format!("ü {character}x"))), Err(unfit), "{character:?}");
    }
}
