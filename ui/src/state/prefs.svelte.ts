export type Theme = 'system' | 'light' | 'dark'

const KEY = 'repose.theme'

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system'
  }
}

/** What this browser remembers. */
class Prefs {
  #theme = $state<Theme>(stored())

  constructor() {
    this.#apply()
  }

  get theme(): Theme {
    return this.#theme
  }

  set theme(theme: Theme) {
    this.#theme = theme
    try {
      localStorage.setItem(KEY, theme)
    } catch {
      // It then lasts until the reload.
    }
    this.#apply()
  }

  #apply(): void {
    document.documentElement.dataset['theme'] = this.#theme
  }
}

export const prefs = new Prefs()
