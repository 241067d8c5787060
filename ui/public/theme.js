// The chosen theme before the page's first frame: the page itself starts after that. It is kept by src/state/prefs.svelte.ts.
try {
  document.documentElement.dataset.theme = localStorage.getItem('repose.theme') ?? 'system'
} catch {
  // Nothing is kept in this browser.
}
