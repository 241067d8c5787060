/** A command at the end of a sentence: `: `repose stop work``. The page has a button or a place for it. */
const COMMAND = /: `repose (?!serve)[^`]*`/
/** What only a program or the command line can do. */
const NOT_HERE = /`GET \/|`repose [^`]*--queue/

/** Hints for the page: without commands for which it has buttons. `buttons`: they are right below. */
export function onPage(hints: readonly string[], buttons: boolean): string[] {
  return hints
    .filter((hint) => !NOT_HERE.test(hint) && !(buttons && COMMAND.test(hint)))
    .map((hint) => hint.replace(/: `repose doctor`/, ' in Diagnostics').replace('`repose doctor`', 'Diagnostics').replace(COMMAND, ''))
}
