/**
 * A document for xterm.js to build with, in which a `<style>` is a constructed sheet. The page's
 * Content-Security-Policy keeps inline styles out; sheets that a script constructs are none.
 */
export class SheetDocument {
  readonly document: Document
  #sheets = new Set<CSSStyleSheet>()

  constructor(readonly real: Document) {
    this.document = new Proxy(real, {
      get: (target, name) => {
        if (name === 'createElement') return (tag: string) => this.#create(tag)
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
      set: (target, name, value) => Reflect.set(target, name, value, target),
    })
  }

  release(): void {
    for (const sheet of this.#sheets) this.#drop(sheet)
  }

  #create(tag: string): HTMLElement {
    if (tag !== 'style') return this.real.createElement(tag)
    const sheet = new CSSStyleSheet()
    this.#sheets.add(sheet)
    this.real.adoptedStyleSheets.push(sheet)
    const stand = this.real.createElement('span')
    stand.hidden = true
    Object.defineProperty(stand, 'textContent', { set: (css: string) => sheet.replaceSync(css) })
    Object.defineProperty(stand, 'remove', {
      value: () => {
        this.#drop(sheet)
        Element.prototype.remove.call(stand)
      },
    })
    return stand
  }

  #drop(sheet: CSSStyleSheet): void {
    this.#sheets.delete(sheet)
    this.real.adoptedStyleSheets = this.real.adoptedStyleSheets.filter((other) => other !== sheet)
  }
}
