import type { ITheme } from '@xterm/xterm'

const NAMES = {
  background: 'back',
  foreground: 'text',
  cursor: 'cursor',
  cursorAccent: 'back',
  selectionBackground: 'selection',
  black: 'black',
  red: 'red',
  green: 'green',
  yellow: 'yellow',
  blue: 'blue',
  magenta: 'magenta',
  cyan: 'cyan',
  white: 'white',
  brightBlack: 'bright-black',
  brightRed: 'bright-red',
  brightGreen: 'bright-green',
  brightYellow: 'bright-yellow',
  brightBlue: 'bright-blue',
  brightMagenta: 'bright-magenta',
  brightCyan: 'bright-cyan',
  brightWhite: 'bright-white',
} as const satisfies Partial<Record<keyof ITheme, string>>

/** The page's palette for the terminal: names of custom properties that the browser resolves to colours. */
export function theme(host: HTMLElement): ITheme {
  const probe = document.createElement('span')
  host.append(probe)
  const colours: ITheme = {}
  for (const [name, property] of Object.entries(NAMES) as [keyof typeof NAMES, string][]) {
    probe.style.color = `var(--term-${property})`
    colours[name] = getComputedStyle(probe).color
  }
  probe.remove()
  return colours
}
