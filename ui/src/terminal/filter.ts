/** A program's title in a form that may be shown: one line of printable characters, of limited length. */
export function title(text: string): string {
  // eslint-disable-next-line no-control-regex -- taking them out is the point
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '').slice(0, 120)
}

/** Whether a link in the terminal may be opened: only what a browser shows as a page. */
export function openable(link: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(link).protocol)
  } catch {
    return false
  }
}
