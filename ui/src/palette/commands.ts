import type { Repo } from '../wire/types'

export interface Command {
  id: string
  text: string
  hint: string
  state?: Repo['state']
  run: () => void
}

/** The commands that contain all typed letters in order, best first. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const wanted = typed.toLowerCase().replace(/\s+/g, '')
  if (wanted === '') return [...commands]
  return commands
    .flatMap((command) => {
      const cost = distance(command.text.toLowerCase(), wanted)
      return cost === null ? [] : [{ command, cost }]
    })
    .sort((a, b) => a.cost - b.cost)
    .map(({ command }) => command)
}

/** How far apart the letters are: 0 if the beginning was typed. Null: they aren't all there. */
function distance(text: string, wanted: string): number | null {
  const whole = text.replace(/\s+/g, '').indexOf(wanted)
  if (whole >= 0) return whole === 0 ? 0 : 1 + whole / 100
  let at = -1
  let gaps = 2
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1)
    if (next < 0) return null
    gaps += next - at - 1
    at = next
  }
  return gaps
}
