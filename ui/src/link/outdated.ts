const KEY = 'repose.reloaded'
/** How long not to try again after a reload that didn't help, in milliseconds. */
const RELOAD_EVERY = 30_000

/**
 * Reloads the page because a part of it couldn't be loaded: after an update of Repose the parts have other names.
 * What was typed is kept. If the server is gone that wouldn't help, so it is asked first, with GET, because browsers
 * send HEAD without the origin that the server requires for everything else.
 */
export async function outdated(): Promise<void> {
  const last = Number(sessionStorage.getItem(KEY) ?? 0)
  if (Date.now() - last < RELOAD_EVERY) return
  const there = await fetch('/', { cache: 'no-store' }).catch(() => null)
  if (!there?.ok) return
  sessionStorage.setItem(KEY, String(Date.now()))
  location.reload()
}
