import { app } from '../state/app.svelte'
import { dialogs } from '../state/dialogs.svelte'
import { orders } from '../state/orders.svelte'
import { copied, reveal } from '../state/out'
import { hasTurn } from './group'
import type { Repo } from '../wire/types'

/** Something that can be done with a repo now, offered in its menu and in the palette. */
export interface Offer {
  id: string
  text: string
  hint?: string
  risky?: boolean
  /** The group in which it is shown. */
  group: 'conversation' | 'outside' | 'end'
  run: () => void
}

export function offers(repo: Repo): Offer[] {
  const { id, state, live } = repo
  const said = repo.conversation !== null && repo.conversation.turns !== 0
  const offered: (Offer | false | null | '')[] = [
    { id: 'fresh', text: 'Start fresh…', group: 'conversation', run: () => dialogs.show(id, 'fresh') },
    app.can('conversations') && { id: 'earlier', text: 'Earlier conversations…', group: 'conversation', run: () => dialogs.show(id, 'earlier') },
    app.can('fork') && said && state !== 'paused' && {
      id: 'fork',
      text: 'Fork: go on with a copy',
      group: 'conversation',
      run: () => void orders.give(id, 'fork'),
    },
    app.can('engine') && state !== 'paused' && {
      id: 'engine',
      text: 'Engine…',
      hint: repo.engine,
      group: 'conversation',
      run: () => dialogs.show(id, 'engine'),
    },
    hasTurn(repo) && { id: 'interrupt', text: 'Interrupt', hint: 'Esc', group: 'conversation', run: () => void orders.give(id, 'interrupt') },
    (live || state === 'paused' || repo.queued > 0) && { id: 'stop', text: 'Stop', group: 'conversation', run: () => void orders.give(id, 'stop') },
    {
      id: 'pin',
      text: repo.pinned ? 'Unpin' : 'Pin: keep it awake',
      group: 'conversation',
      run: () => void orders.give(id, repo.pinned ? 'unpin' : 'pin'),
    },
    live && { id: 'why', text: 'Why is it awake?', group: 'conversation', run: () => dialogs.show(id, 'why') },
    app.can('show') && { id: 'editor', text: 'Open in editor', group: 'outside', run: () => void reveal(id, 'editor') },
    app.can('show') && { id: 'files', text: 'Reveal in file manager', group: 'outside', run: () => void reveal(id, 'files') },
    repo.resume_command && { id: 'command', text: 'Copy resume command', group: 'outside', run: () => void copied('resume command', repo.resume_command ?? '') },
    { id: 'path', text: 'Copy path', group: 'outside', run: () => void copied('path', repo.path) },
    { id: 'remove', text: 'Remove…', risky: true, group: 'end', run: () => dialogs.show(id, 'remove') },
  ]
  return offered.filter((offer) => offer !== false && offer !== null && offer !== '')
}
