//! A random secret, compared in constant time.

use subtle::ConstantTimeEq;

/// The random bytes in a secret: far beyond guessing.
const BYTES: usize = 32;

/// A secret.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    /// A new random secret.
    #[expect(clippy::expect_used, reason = "without randomness no door can be locked")]
    pub(crate) fn new() -> Self {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).expect("the system has randomness");
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// A stored secret. `None`: the text isn't one.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let fits = text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| Self(text.to_owned()))
    }

    /// The form in which it is shown and stored.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether `shown` is this secret. Takes equally long for near and far misses.
    pub(crate) fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret(…)")
    }
}
