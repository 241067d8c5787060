/** A command of ours, at the end of a sentence: `: `repose stop work``. The page has a button or a place for it. */
const COMMAND = /: `repose (?!serve)[^`]*`/
/** What only a program or the command line does. */
const NOT_HERE = /`GET \/|`repose [^`]*--queue/

/** Hints as a page gives them: without commands that it has buttons for. `buttons`: they stand right below. */
export function onPage(hints: readonly string[], buttons: boolean): string[] {
  return hints
    .filter((hint) => !NOT_HERE.test(hint) && !(buttons && COMMAND.test(hint)))
    .map((hint) => hint.replace(/: `repose doctor`/, ' in Diagnostics').replace('`repose doctor`', 'Diagnostics').replace(COMMAND, ''))
}
