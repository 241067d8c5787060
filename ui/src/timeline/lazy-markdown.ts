import { Piece } from '../link/piece.svelte'

/** What reads Markdown. Until it is loaded, a text is shown as it was written. */
export const piece = new Piece(() => import('./markdown'))
