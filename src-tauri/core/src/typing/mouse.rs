//! Clicks, in the form in which terminals report them: `CSI < button ; column ; row M`.

use super::number::number;

/// The buttons that click. Larger numbers are the wheel's, and movements.
const BUTTONS: u32 = 3;

/// The row of a click, counted from 1. `None`: this reports something else.
pub(super) fn click(parameters: &[u8]) -> Option<u32> {
    let mut numbers = parameters.strip_prefix(b"<")?.split(|&b| b == b';').map(number);
    let button = numbers.next()??;
    numbers.nth(1)?.filter(|_| button < BUTTONS)
}
