import type { Owner } from '../wire/types'

/** The program outside Repose that has a conversation open, in the command line's words. */
export function elsewhere({ pid, terminal }: Pick<Owner, 'pid' | 'terminal'>): string {
  return `another program (pid ${pid}${terminal ? ` in ${terminal}` : ''})`
}
