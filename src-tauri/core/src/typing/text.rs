//! What stands on a line, as far as the keys that were pressed tell.

use std::time::Duration;

/// What the keys of an engine's input line do, where engines differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Habits {
    /// Esc that is pressed twice within this takes the whole text away. `None`: Esc takes nothing away.
    pub esc_twice: Option<Duration>,
    /// Ctrl-U at the beginning of a line takes away the break before it.
    pub cuts_breaks: bool,
    /// Ctrl-R searches the earlier prompts.
    pub searches: bool,
}

/// What stands on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Text {
    /// Nothing.
    #[default]
    Empty,
    /// Nobody typed it, if it is there at all: an earlier prompt that a key brought, a suggestion. It is
    /// nobody's work, and goes before something is typed.
    Nobodys,
    /// It was sent, and stands there again.
    Again,
    /// Somebody typed it, and how much of it there is at most is known.
    Typed(Typed),
    /// Somebody's. How much it is, or where the cursor stands, can't be told: it is there until it was sent
    /// or taken away whole.
    Loose,
    /// The engine's earlier prompts are searched: keys mean something else until that ends.
    Search {
        /// Something of somebody's stands there beside.
        theirs: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Typed {
    /// How many.
    characters: u32,
    /// How many columns of a terminal they take.
    columns: u32,
    breaks: u32,
    /// Ctrl-U came so often since the last of them.
    cuts: u32,
    cursor: Cursor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cursor {
    /// Behind all of it.
    End,
    Elsewhere,
}

/// What a key means on an input line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A character, and the columns it takes at most.
    Character(u32),
    /// Enter after it breaks the line.
    Backslash,
    /// A line break that sends nothing.
    Break,
    /// It sends the text.
    Enter,
    Backspace,
    /// Ctrl-U: takes away what is before the cursor, in its line of the screen.
    Cut,
    /// Something else that takes away a part.
    Takes,
    /// Ctrl-C: takes all away.
    Drop,
    Esc,
    /// Esc, for the second time within what [`Habits`] say.
    EscTwice,
    /// Up, Tab and their like: they may bring text that nobody typed, in place of what is there.
    Brings,
    /// The cursor goes back, or somewhere.
    Moves,
    /// It goes on. At the end it may take up a suggestion.
    Onward,
    /// It goes to the end of its line, likewise.
    End,
    /// What somebody wrote elsewhere may come: from an editor, from what was cut or put aside.
    Edits,
    /// Ctrl-R.
    Search,
}

impl Typed {
    fn one(columns: u32, breaks: u32) -> Text {
        Text::Typed(Self { characters: 1, columns, breaks, cuts: 0, cursor: Cursor::End })
    }

    fn more(self, columns: u32, breaks: u32) -> Text {
        Text::Typed(Self {
            characters: self.characters.saturating_add(1),
            columns: self.columns.saturating_add(columns),
            breaks: self.breaks.saturating_add(breaks),
            cuts: 0,
            ..self
        })
    }

    fn less(self) -> Text {
        match (self.cursor, self.characters) {
            (Cursor::Elsewhere, _) => Text::Typed(self),
            (Cursor::End, 0 | 1) => Text::Empty,
            (Cursor::End, more) => Text::Typed(Self { characters: more - 1, cuts: 0, ..self }),
        }
    }

    fn cut(self, width: u32, habits: Habits) -> Text {
        match self.cursor {
            Cursor::Elsewhere => Text::Typed(self),
            Cursor::End if self.breaks > 0 && !habits.cuts_breaks => Text::Loose,
            Cursor::End => {
                let cuts = self.cuts.saturating_add(1);
                if cuts > self.lines(width).saturating_add(self.breaks.saturating_mul(2)) {
                    Text::Empty
                } else {
                    Text::Typed(Self { cuts, ..self })
                }
            }
        }
    }

    /// Lines of the screen that it takes at most beyond the first. Words are not parted, so one may be half
    /// full.
    fn lines(self, width: u32) -> u32 {
        if self.columns <= width { 0 } else { self.columns / (width / 2).max(1) }
    }

    fn to_end(self, width: u32) -> Text {
        let cursor = if self.breaks == 0 && self.lines(width) == 0 { Cursor::End } else { self.cursor };
        Text::Typed(Self { cursor, ..self })
    }

    fn away(self) -> Text {
        Text::Typed(Self { cursor: Cursor::Elsewhere, ..self })
    }
}

impl Text {
    /// Somebody typed something and hasn't sent it.
    pub(super) fn is_somebodys(self) -> bool {
        match self {
            Self::Empty | Self::Nobodys => false,
            Self::Again | Self::Typed(_) | Self::Loose | Self::Search { .. } => true,
        }
    }

    /// The text after a key, on a line of so many columns.
    pub(super) fn press(self, key: Key, width: u32, habits: Habits) -> Self {
        let key = if key == Key::Search && !habits.searches { Key::Edits } else { key };
        match self {
            Self::Empty => match key {
                Key::Character(columns) => Typed::one(columns, 0),
                Key::Backslash => Typed::one(1, 0),
                Key::Break => Typed::one(0, 1),
                Key::Brings | Key::Onward | Key::End => Self::Nobodys,
                Key::Edits => Self::Loose,
                Key::Search => Self::Search { theirs: false },
                Key::Enter
                | Key::Backspace
                | Key::Cut
                | Key::Takes
                | Key::Drop
                | Key::Esc
                | Key::EscTwice
                | Key::Moves => Self::Empty,
            },
            Self::Nobodys => match key {
                // Whoever changes it makes it theirs.
                Key::Character(_)
                | Key::Backslash
                | Key::Break
                | Key::Backspace
                | Key::Takes
                | Key::Edits => Self::Loose,
                Key::Enter | Key::Drop => Self::Empty,
                Key::Search => Self::Search { theirs: false },
                Key::Cut | Key::Esc | Key::EscTwice | Key::Brings | Key::Moves | Key::Onward | Key::End => {
                    Self::Nobodys
                }
            },
            Self::Again => match key {
                Key::Character(_)
                | Key::Backslash
                | Key::Break
                | Key::Backspace
                | Key::Takes
                | Key::Edits
                | Key::Brings => Self::Loose,
                Key::Enter | Key::Drop => Self::Empty,
                // The engine has it among its earlier prompts: nothing of it is lost.
                Key::Cut | Key::EscTwice => Self::Nobodys,
                Key::Search => Self::Search { theirs: true },
                Key::Esc | Key::Moves | Key::Onward | Key::End => Self::Again,
            },
            Self::Typed(typed) => match key {
                Key::Character(columns) => typed.more(columns, 0),
                Key::Backslash => typed.more(1, 0),
                Key::Break => typed.more(0, 1),
                Key::Backspace => typed.less(),
                Key::Cut => typed.cut(width, habits),
                Key::Enter | Key::Drop => Self::Empty,
                Key::EscTwice => Self::Nobodys,
                Key::Moves | Key::Onward => typed.away(),
                Key::End => typed.to_end(width),
                Key::Takes | Key::Esc => self,
                Key::Brings | Key::Edits => Self::Loose,
                Key::Search => Self::Search { theirs: true },
            },
            Self::Loose => match key {
                Key::Enter | Key::Drop => Self::Empty,
                Key::EscTwice => Self::Nobodys,
                Key::Search => Self::Search { theirs: true },
                Key::Character(_)
                | Key::Backslash
                | Key::Break
                | Key::Backspace
                | Key::Cut
                | Key::Takes
                | Key::Esc
                | Key::Brings
                | Key::Moves
                | Key::Onward
                | Key::End
                | Key::Edits => Self::Loose,
            },
            Self::Search { theirs } => match key {
                // What was found may stand there, or what stood there before.
                Key::Enter | Key::Drop | Key::Esc | Key::EscTwice => {
                    if theirs {
                        Self::Loose
                    } else {
                        Self::Nobodys
                    }
                }
                Key::Character(_)
                | Key::Backslash
                | Key::Break
                | Key::Backspace
                | Key::Cut
                | Key::Takes
                | Key::Brings
                | Key::Moves
                | Key::Onward
                | Key::End
                | Key::Edits
                | Key::Search => self,
            },
        }
    }
}
