use super::{Awake, Now, Timeline, Wall};

const DAY: u64 = 86_400_000;
const BEGAN: Now = Now { wall: Wall(1_700_000_000_000), awake: Awake(50_000), slept: 7_000 };

fn after(ms: u64, set: i64) -> Now {
    let wall = (BEGAN.wall.0 + ms).saturating_add_signed(set);
    Now { wall: Wall(wall), awake: Awake(BEGAN.awake.0 + ms), slept: BEGAN.slept }
}

#[test]
fn what_was_said_keeps_its_order_whatever_the_clock_is_set_to() {
    const DAYS: i64 = 86_400_000 * 5;
    for set in [0, -DAYS, DAYS, -10_000, 10_000] {
        let mut timeline = Timeline::new(BEGAN);
        timeline.read(after(1_000, 0));
        let said = after(900, 0).wall;
        let before = timeline.moment(said);
        // It is set between 1,000 and 2,000; what was said just before is heard after.
        timeline.read(after(2_000, set));
        let late = timeline.moment(after(1_001, 0).wall);
        let since = timeline.moment(after(2_000, set).wall);
        timeline.read(after(3_000, set));
        let later = timeline.moment(after(2_500, set).wall);
        assert!(before <= late && late < since && since < later, "set by {set}");
        assert!(timeline.moment(said) <= late, "set by {set}: the same, heard again");
    }
}

#[test]
fn a_sleep_sets_no_clock() {
    let mut timeline = Timeline::new(BEGAN);
    let said = timeline.moment(BEGAN.wall);
    let woken = Now { wall: Wall(BEGAN.wall.0 + DAY), awake: BEGAN.awake, slept: BEGAN.slept + DAY };
    timeline.read(woken);
    assert_eq!(timeline.moment(BEGAN.wall), said);
    assert!(timeline.moment(woken.wall) > said);
}

#[test]
fn what_lies_ahead_of_a_clock_that_nobody_set_counts_as_now() {
    let timeline = Timeline::new(BEGAN);
    assert_eq!(timeline.moment(after(DAY, 0).wall), timeline.moment(BEGAN.wall));
}
