// The paths of the programs that the stories drive. Nothing is looked for elsewhere, and nothing is skipped.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')

/** A program that `make e2e` built, or `make bench` with another profile. */
export function program(name) {
  const path = join(resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target'), process.env.REPOSE_PROFILE ?? 'debug', name)
  if (!existsSync(path)) throw new Error(`${path} isn't built: \`make e2e\` and \`make bench\` do that`)
  return path
}

/** The native program of Claude Code's platform package. */
export function claude() {
  const packages = join(ROOT, 'tests/engines/node_modules/@anthropic-ai')
  const found = existsSync(packages)
    ? readdirSync(packages).map((name) => join(packages, name, 'claude')).filter((path) => existsSync(path))
    : []
  if (found.length !== 1) throw new Error(`${packages} has no one native claude: \`make engines\` installs it`)
  return found[0]
}

/** The browser. Without one its error says what to install. */
export function chromium() {
  return execFileSync(join(ROOT, 'scripts/browser.sh'), { encoding: 'utf8' }).trim()
}

/** The folder for pictures of what the stories saw: for people, not committed. */
export const SHOTS = join(ROOT, 'tests/e2e/shots')
export const PAGE = join(ROOT, 'ui/dist')
