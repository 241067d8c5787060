/**
 * Runs `build`, turning every `<style>` that it creates into a constructed sheet, and returns a function that removes
 * them. The page's Content-Security-Policy forbids inline styles, but not sheets constructed by a script. xterm.js
 * creates all its style elements while it opens, and writes to them later.
 */
export function withSheets(document: Document, build: () => void): () => void {
  const sheets: CSSStyleSheet[] = []
  const create = document.createElement.bind(document)
  const stand = (): HTMLElement => {
    const sheet = new CSSStyleSheet()
    sheets.push(sheet)
    document.adoptedStyleSheets.push(sheet)
    const element = create('span')
    element.hidden = true
    Object.defineProperty(element, 'textContent', { set: (css: string) => sheet.replaceSync(css) })
    return element
  }
  document.createElement = ((tag: string, options?: ElementCreationOptions) =>
    tag === 'style' ? stand() : create(tag, options)) as typeof document.createElement
  try {
    build()
  } finally {
    Reflect.deleteProperty(document, 'createElement')
  }
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet))
  }
}
