import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import type { Screenlike } from '../link/terminal'
import { opensPalette, stepsRepo, switchesView } from '../parts/keys'
import { cells } from './cells'
import { openable, title } from './filter'
import { withSheets } from './sheets'
import { theme } from './theme'

/** The number of lines to keep, as in the holder; the oldest are dropped. */
const SCROLLBACK = 10_000
/**
 * How long a new size has to last before it is reported, in milliseconds, since each one makes the engine draw
 * everything again.
 */
const RESIZE_SETTLES = 80

export interface Told {
  /** Typed or pasted. */
  input(bytes: Uint8Array): void
  /** Sent by the terminal itself: replies to queries, focus. */
  report(bytes: Uint8Array): void
  resized(): void
  titled(title: string): void
  found(at: number, count: number): void
}

/**
 * Wraps xterm.js and everything that must be known about it. Lives outside the components, which only give it a
 * place.
 */
export class Screen implements Screenlike {
  #terminal: Terminal
  #fit = new FitAddon()
  #search = new SearchAddon({ highlightLimit: 1_000 })
  #watch: ResizeObserver
  #takeOff: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #scheme = matchMedia('(prefers-color-scheme: dark)')
  #recolour = () => (this.#terminal.options.theme = theme(this.host))

  constructor(
    readonly host: HTMLElement,
    readonly told: Told,
  ) {
    this.#terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: false,
      fontFamily: getComputedStyle(host).getPropertyValue('--mono'),
      fontSize: 13,
      lineHeight: 1.2,
      macOptionIsMeta: true,
      minimumContrastRatio: 4.5,
      rightClickSelectsWord: true,
      scrollback: SCROLLBACK,
      theme: theme(host),
      // Links that a program writes (OSC 8) are handled like those that are detected.
      linkHandler: { activate: (_, link) => follow(link), allowNonHttpProtocols: false },
    })
    const terminal = this.#terminal
    terminal.unicode.register(cells)
    terminal.unicode.activeVersion = cells.version
    terminal.loadAddon(this.#fit)
    terminal.loadAddon(this.#search)
    terminal.loadAddon(new WebLinksAddon((_, link) => follow(link)))
    // Nothing in a terminal may write to the clipboard (OSC 52).
    terminal.parser.registerOscHandler(52, () => true)
    terminal.attachCustomKeyEventHandler((event) => this.#key(event))
    this.#takeOff = withSheets(document, () => terminal.open(host))
    this.#fit.fit()
    const encoder = new TextEncoder()
    const typed = typing(terminal)
    terminal.onData((text) => (typed() ? told.input(encoder.encode(text)) : told.report(encoder.encode(text))))
    terminal.onBinary((text) => told.input(Uint8Array.from(text, (char) => char.charCodeAt(0))))
    terminal.onTitleChange((text) => told.titled(title(text)))
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) => told.found(resultIndex, resultCount))
    this.#watch = new ResizeObserver(() => this.#resize())
    this.#watch.observe(host)
    this.#scheme.addEventListener('change', this.#recolour)
  }

  size(): { cols: number; rows: number } {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows }
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#terminal.write(bytes, done)
  }

  /** The page's colours changed. */
  recolour(): void {
    this.#recolour()
  }

  focus(): void {
    this.#terminal.focus()
  }

  find(text: string, back: boolean): void {
    const options = { decorations: { matchOverviewRuler: '#888888', activeMatchColorOverviewRuler: '#ffb84d' } }
    if (text === '') this.#search.clearDecorations()
    else if (back) this.#search.findPrevious(text, options)
    else this.#search.findNext(text, options)
  }

  dispose(): void {
    clearTimeout(this.#timer)
    this.#watch.disconnect()
    this.#scheme.removeEventListener('change', this.#recolour)
    this.#terminal.dispose()
    this.#takeOff()
  }

  #resize(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const before = this.size()
      this.#fit.fit()
      const { cols, rows } = this.size()
      if (cols !== before.cols || rows !== before.rows) this.told.resized()
    }, RESIZE_SETTLES)
  }

  /** False: the key belongs to the page, not to the terminal. */
  #key(event: KeyboardEvent): boolean {
    const mod = event.ctrlKey || event.metaKey
    if (event.type === 'keydown' && (stepsRepo(event) !== null || switchesView(event) || opensPalette(event, true))) return false
    if (!mod || event.type !== 'keydown') return true
    const key = event.key.toLowerCase()
    if (event.ctrlKey && event.shiftKey && key === 'c') {
      event.preventDefault()
      void navigator.clipboard.writeText(this.#terminal.getSelection()).catch(() => undefined)
      return false
    }
    // The browser's own paste arrives as an event, which xterm handles.
    return !(event.ctrlKey && event.shiftKey && (key === 'v' || key === 'f'))
  }
}

/**
 * Whether the data that is reported next came from a person. xterm.js knows, and says so just before, but has no
 * public name for it. Without it everything counts as typed, and the server recognises replies by their form.
 */
function typing(terminal: Terminal): () => boolean {
  type Inside = { _core?: { coreService?: { onUserInput?: (heard: () => void) => unknown } } }
  const service = (terminal as unknown as Inside)._core?.coreService
  if (!service?.onUserInput) return () => true
  let typed = false
  service.onUserInput(() => (typed = true))
  return () => {
    const was = typed
    typed = false
    return was
  }
}

function follow(link: string): void {
  if (openable(link)) window.open(link, '_blank', 'noopener,noreferrer')
}
