/**
 * Runs `build`, in which every `<style>` that is made becomes a constructed sheet, and returns the way to take them
 * off again. The page's Content-Security-Policy keeps inline styles out; sheets that a script constructs are none.
 * xterm.js makes all of its style elements while it opens, and writes to them later.
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
