/** The most places to count and mark: nobody steps through more, and marking them all is slow. */
const FOUND_MAX = 2_000

/** What the page itself says beside a conversation, and what it repeats. */
const ASIDE = 'time, button, summary code, .edge'

/** The places of a text below `root`, in the order of the page, ignoring case. */
export function ranges(root: Node, typed: string): Range[] {
  const wanted = typed.toLowerCase()
  const found: Range[] = []
  if (wanted.trim() === '') return found
  const said = (node: Node) => (node.parentElement?.closest(ASIDE) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT)
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, said)
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase()
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      if (found.length >= FOUND_MAX) return found
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      found.push(range)
    }
  }
  return found
}
