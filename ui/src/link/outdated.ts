const KEY = 'repose.reloaded'
/** A reload that didn't help isn't tried again for so long. */
const RELOAD_EVERY = 30_000

/**
 * A piece of the page couldn't be loaded. After an update of Repose the pieces have other names: a reload gets them,
 * and what was typed is kept. With the server gone it wouldn't help, so it is asked
 * first: by GET, for browsers send a HEAD without the origin that the server wants to see on everything else.
 */
export async function outdated(): Promise<void> {
  const last = Number(sessionStorage.getItem(KEY) ?? 0)
  if (Date.now() - last < RELOAD_EVERY) return
  const there = await fetch('/', { cache: 'no-store' }).catch(() => null)
  if (!there?.ok) return
  sessionStorage.setItem(KEY, String(Date.now()))
  location.reload()
}
