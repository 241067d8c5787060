//! What an input line holds, as far as the keys tell.

use std::time::Duration;

/// What keys do in an engine's input line, where engines differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Habits {
    /// Esc pressed twice within this time removes the whole text. `None`: Esc removes nothing.
    pub esc_twice: Option<Duration>,
    /// Whether Ctrl-U at the beginning of a line removes the line break before it.
    pub cuts_breaks: bool,
    /// Whether Ctrl-R searches the earlier prompts.
    pub searches: bool,
    /// Whether Ctrl-C ends the turn that runs and leaves the text. A second one right after it removes the
    /// text.
    pub drop_ends_turns: bool,
    /// Whether the line has modes, as vim has: after Esc a character is a command, and how much there is can't be
    /// told.
    pub modal: bool,
    /// Whether Ctrl-J sends the line as Enter does. A terminal sends it for an Enter that was pressed before a
    /// program read from it.
    pub ctrl_j_sends: bool,
    /// Whether the terminal's cursor stands in the line, and a click beside the line's text changes nothing in
    /// it.
    pub shows_cursor: bool,
}

/// What an input line holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Text {
    /// Nothing.
    #[default]
    Empty,
    /// Text that nobody typed, if any: an earlier prompt that a key brought, or a suggestion. It isn't
    /// anybody's work and is removed before something is typed.
    Nobodys,
    /// Text that was sent and is in the line again.
    Again,
    /// Text that somebody typed, with a known upper bound of its size.
    Typed(Typed),
    /// Somebody's text of unknown size or cursor position: it counts as there until it is sent or removed as
    /// a whole.
    Loose,
    /// A search of the engine's earlier prompts: until it ends, keys have other meanings.
    Search {
        /// Whether somebody's text is there besides.
        theirs: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Typed {
    /// The number of characters, at most.
    characters: u32,
    /// The terminal columns that they take, at most.
    columns: u32,
    breaks: u32,
    /// How many times Ctrl-U was pressed since the last character.
    cuts: u32,
    cursor: Cursor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cursor {
    /// After all of the text.
    End,
    Elsewhere,
}

/// What a key does in an input line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A character, with the most columns it can take.
    Character(u32),
    /// A backslash: Enter after it breaks the line.
    Backslash,
    /// A line break that sends nothing.
    Break,
    /// Sends the text.
    Enter,
    Backspace,
    /// Ctrl-U: removes what is before the cursor in its line on the screen.
    Cut,
    /// Removes some other part.
    Takes,
    /// Ctrl-C: removes everything.
    Drop,
    Esc,
    /// Esc for the second time, within the time of [`Habits`].
    EscTwice,
    /// Up, Down and the like: may bring text that nobody typed in place of what is there.
    Brings,
    /// May accept a suggestion, or the rest of a word.
    Tab,
    /// A key with Alt: an editing command.
    Command,
    /// Moves the cursor back or to an unknown place.
    Moves,
    /// Moves the cursor forward. At the end it may accept a suggestion.
    Onward,
    /// Moves the cursor to the end of its line. At the end it may accept a suggestion.
    End,
    /// May bring text that somebody wrote elsewhere: what was cut or put aside earlier.
    Edits,
    /// Ctrl-G: the same from an editor, which also ends a search.
    Editor,
    /// Ctrl-R.
    Search,
}

impl Key {
    /// The key with Ctrl of this number in the alphabet, other than M.
    pub(super) fn with_ctrl(number: u8) -> Self {
        match number {
            0x03 => Self::Drop,                              // C
            0x05 => Self::End,                               // E
            0x06 => Self::Onward,                            // F
            0x08 => Self::Backspace,                         // H
            b'\n' => Self::Break,                            // J
            0x07 => Self::Editor,                            // G
            b'\t' => Self::Tab,                              // I
            0x0e | 0x10 => Self::Brings,                     // N, P
            0x04 | 0x0b | 0x17 => Self::Takes,               // D, K, W
            0x12 => Self::Search,                            // R
            0x15 => Self::Cut,                               // U
            0x13 | 0x16 | 0x18 | 0x19 | 0x1f => Self::Edits, // S, V, X, Y, undo
            _ => Self::Moves,
        }
    }
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

    /// The most lines that it takes on the screen beyond the first. Words aren't split, so a line may be half
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
    /// Whether it holds text that somebody typed and hasn't sent.
    pub(super) fn is_somebodys(self) -> bool {
        match self {
            Self::Empty | Self::Nobodys => false,
            Self::Again | Self::Typed(_) | Self::Loose | Self::Search { .. } => true,
        }
    }

    /// How many rows above or below the cursor's the text may reach, on a line of this many columns.
    pub(super) fn rows_beside(self, width: u32) -> u32 {
        match self {
            Self::Typed(typed) => typed.breaks.saturating_add(typed.lines(width)),
            Self::Empty | Self::Nobodys | Self::Again | Self::Loose | Self::Search { .. } => 0,
        }
    }

    /// The text when text that nobody typed may stand beside it.
    pub(super) fn strewn(self) -> Self {
        match self {
            Self::Empty | Self::Nobodys => Self::Nobodys,
            // Whoever removes all that they typed leaves the rest.
            Self::Again | Self::Typed(_) | Self::Loose => Self::Loose,
            Self::Search { .. } => self,
        }
    }

    /// The text after a key, on a line of this many columns.
    pub(super) fn press(self, key: Key, width: u32, habits: Habits) -> Self {
        match self.pressed(key, width, habits) {
            Self::Typed(_) if habits.modal => Self::Loose,
            text @ (Self::Empty
            | Self::Nobodys
            | Self::Again
            | Self::Typed(_)
            | Self::Loose
            | Self::Search { .. }) => text,
        }
    }

    fn pressed(self, key: Key, width: u32, habits: Habits) -> Self {
        let key = if key == Key::Search && !habits.searches { Key::Edits } else { key };
        match self {
            Self::Empty => match key {
                Key::Character(columns) => Typed::one(columns, 0),
                Key::Backslash => Typed::one(1, 0),
                Key::Break => Typed::one(0, 1),
                Key::Brings | Key::Tab | Key::Command | Key::Onward | Key::End => Self::Nobodys,
                Key::Edits | Key::Editor => Self::Loose,
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
                // Whoever changes the text makes it theirs.
                Key::Character(_)
                | Key::Backslash
                | Key::Break
                | Key::Backspace
                | Key::Takes
                | Key::Edits
                | Key::Editor => Self::Loose,
                Key::Enter | Key::Drop => Self::Empty,
                Key::Search => Self::Search { theirs: false },
                Key::Cut
                | Key::Esc
                | Key::EscTwice
                | Key::Brings
                | Key::Tab
                | Key::Command
                | Key::Moves
                | Key::Onward
                | Key::End => Self::Nobodys,
            },
            Self::Again => match key {
                Key::Character(_)
                | Key::Backslash
                | Key::Break
                | Key::Backspace
                | Key::Takes
                | Key::Edits
                | Key::Editor
                | Key::Brings
                | Key::Tab
                | Key::Command => Self::Loose,
                Key::Enter | Key::Drop => Self::Empty,
                // The engine keeps it among its earlier prompts, so nothing is lost.
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
                Key::Brings | Key::Tab | Key::Command | Key::Edits | Key::Editor => Self::Loose,
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
                | Key::Tab
                | Key::Command
                | Key::Moves
                | Key::Onward
                | Key::End
                | Key::Edits
                | Key::Editor => Self::Loose,
            },
            Self::Search { theirs } => match key {
                // The search ends. The line may hold what was found, which Enter also accepts, or what it
                // held before.
                Key::Enter | Key::Tab | Key::Drop | Key::Esc | Key::EscTwice | Key::Editor => {
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
                | Key::Command
                | Key::Moves
                | Key::Onward
                | Key::End
                | Key::Edits
                | Key::Search => self,
            },
        }
    }
}
