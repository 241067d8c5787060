//! Identifiers. Each is text that somebody else chose, and is never interpreted.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// An id with this text.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id's text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}

id!(
    /// A repo that the user added.
    RepoId
);
id!(
    /// One life of one engine process.
    SessionId
);
id!(
    /// A conversation, as its engine names it.
    ConversationId
);
id!(
    /// An ask.
    AskId
);
id!(
    /// A prompt that the engine took, as the engine names it.
    PromptId
);
id!(
    /// A decision that an engine waits for.
    DecisionId
);
id!(
    /// An engine: `claude`, `shell`, or a name from the settings.
    EngineName
);
