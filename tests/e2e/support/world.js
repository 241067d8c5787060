// A world for each story: a home that has completed the real Claude Code's first run, repos, Repose's state, a model,
// and nothing else of the machine. Owns all its processes and leaves none behind.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Model } from './model.js'
import { claude, program } from './programs.js'
import { eventually } from './wait.js'

/** Not a real key; Claude Code has its last 20 characters as approved. */
const API_KEY = 'sk-ant-stub-repose-tests-0123456789'
/** How long a clean shutdown of everything may take, in milliseconds. */
const FAREWELL = 10_000
/** How many characters of the end of a log a failed story shows. */
const LOG_TAIL = 4_000

/** All existing worlds, so that an interrupted run leaves nothing behind either. */
const worlds = new Set()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const world of worlds) world.endNow()
    process.exit(1)
  })
}

export class World {
  /**
   * Repos with these names, trusted by the engine, `config.toml` with `settings`, and Repose running; with `desktop`
   * it believes that there is a screen to show something on.
   */
  static async start({ repos = [], settings = '', folder, desktop = false } = {}) {
    const world = new World(await Model.start(), folder, desktop)
    try {
      for (const name of repos) world.makeRepo(name)
      world.welcome(repos)
      mkdirSync(world.path('repose'))
      writeFileSync(world.path('repose/config.toml'), settings)
      await world.serve()
      return world
    } catch (error) {
      await world.end().catch(() => undefined)
      throw error
    }
  }

  constructor(model, folder, desktop) {
    this.model = model
    this.desktop = desktop
    // The canonical path, after which the engine names transcripts.
    this.folder = folder ?? realpathSync(mkdtempSync(join(tmpdir(), 'repose-e2e-')))
    for (const part of ['home', 'home/.claude', 'bin', 'repos']) mkdirSync(this.path(part))
    // A login shell must not add the developer's own programs.
    writeFileSync(this.path('home/.profile'), 'PATH=/usr/bin:/bin\n')
    symlinkSync(claude(), this.path('bin/claude'))
    this.serving = null
    this.outside = []
    worlds.add(this)
  }

  path(part) {
    return join(this.folder, part)
  }

  repo(name) {
    return this.path(`repos/${name}`)
  }

  /** Where Claude Code keeps this repo's transcripts. */
  transcripts(name) {
    return this.path(`home/.claude/projects/${this.repo(name).replace(/[^A-Za-z0-9]/g, '-')}`)
  }

  get env() {
    return {
      HOME: this.path('home'),
      PATH: `${this.path('bin')}:/usr/bin:/bin`,
      REPOSE_HOME: this.path('repose'),
      SHELL: '/bin/sh',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      RUST_BACKTRACE: '1',
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: API_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      ...(this.desktop && { DISPLAY: ':0' }),
    }
  }

  makeRepo(name) {
    mkdirSync(this.repo(name), { recursive: true })
    const git = (...args) => execFileSync('git', args, { cwd: this.repo(name), env: this.env })
    git('init', '--quiet', '--initial-branch=main')
    return this.repo(name)
  }

  /** The files of a user who has completed the first-run screens, and one rule: `touch` needs a permission. */
  welcome(trusted) {
    const rules = { permissions: { ask: ['Bash(touch:*)'] } }
    writeFileSync(this.path('home/.claude/settings.json'), JSON.stringify(rules))
    const trust = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
    const known = {
      hasCompletedOnboarding: true,
      // It was offered the mode that asks nobody.
      hasSeenAutoDefaultNudge: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
      projects: Object.fromEntries(trusted.map((name) => [this.repo(name), trust])),
    }
    writeFileSync(this.path('home/.claude.json'), JSON.stringify(known))
  }

  /** Starts `repose serve` and waits until it answers. */
  async serve() {
    assert.equal(this.serving, null, 'a runner of this world runs already')
    const log = openSync(this.path('serve.log'), 'a')
    this.serving = spawn(program('repose'), ['serve'], { env: this.env, cwd: this.path('home'), stdio: ['ignore', log, log] })
    closeSync(log)
    const status = await eventually('`repose serve` to answer', async () => {
      const { code, json } = await this.try('status')
      return code === 0 && json.runner.console ? json : null
    })
    this.origin = status.runner.console
  }

  /** Stops the runner: with TERM as a service manager does, or at once. */
  async stopServe(signal = 'SIGTERM') {
    const child = this.serving
    this.serving = null
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((done) => child.once('exit', done))
    child.kill(signal)
    const late = setTimeout(() => child.kill('SIGKILL'), FAREWELL)
    await ended
    clearTimeout(late)
  }

  /** Runs a verb with `--json`. */
  try(...args) {
    return new Promise((answer) => {
      const options = { env: this.env, cwd: this.path('home'), maxBuffer: 64e6 }
      execFile(program('repose'), [...args, '--json'], options, (error, stdout, stderr) => {
        let json = null
        try {
          json = JSON.parse(stdout || stderr)
        } catch {
          // An answer that isn't JSON is shown in the failure of whoever needs it.
        }
        answer({ code: error ? (error.code ?? 1) : 0, json, stdout, stderr })
      })
    })
  }

  /** Runs a verb that must succeed, and returns its JSON. */
  async ok(...args) {
    const { code, json, stdout, stderr } = await this.try(...args)
    assert.equal(code, 0, `repose ${args.join(' ')}: ${stdout}${stderr}`)
    return json
  }

  /** Adds repos of this world. */
  async add(...names) {
    const added = []
    for (const name of names) added.push((await this.ok('add', this.repo(name))).repo)
    return added
  }

  /** Waits until the repo's status matches, and returns it. */
  wait(name, why, fits) {
    return eventually(`${name}: ${why}`, async () => {
      const status = await this.ok('status', name)
      return fits(status) ? status : null
    })
  }

  state(name, state) {
    return this.wait(name, `to be ${state}`, (status) => status.state === state)
  }

  /** A link into the console that works once. */
  async link() {
    return (await this.ok('console', '--print')).link
  }

  /** A pipe in a repo: whoever reads it blocks until the story writes. */
  pipe(name, file) {
    execFileSync('mkfifo', [join(this.repo(name), file)])
  }

  /** The header with which a program that isn't a browser is let in. */
  token() {
    return readFileSync(this.path('repose/token'), 'utf8').trim()
  }

  /** A program of the world's own on its path, as a shell script. */
  script(name, text) {
    rmSync(this.path(`bin/${name}`), { force: true })
    writeFileSync(this.path(`bin/${name}`), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  }

  /**
   * Waits until a program has written this file of the world, and returns its text. A file that was just created is
   * empty.
   */
  written(file) {
    return eventually(`${file} to be written`, () => (existsSync(this.path(file)) && readFileSync(this.path(file), 'utf8')) || null)
  }

  /** Starts the engine as a user does in a separate terminal, outside Repose. */
  elsewhere(name, ...args) {
    const command = ['claude', ...args].map((word) => `'${word}'`).join(' ')
    // `script` gives it a terminal. Its input stays open, or it would end.
    const child = spawn('script', ['-qfc', command, '/dev/null'], { env: this.env, cwd: this.repo(name), stdio: ['pipe', 'ignore', 'ignore'] })
    this.outside.push(child)
    return child
  }

  /** One question to the engine outside Repose, answered and over. */
  used(name, text, ...args) {
    const options = { env: this.env, cwd: this.repo(name), stdio: ['ignore', 'ignore', 'inherit'] }
    execFileSync(this.path('bin/claude'), ['-p', text, ...args], options)
  }

  /** The pids of all processes that were started with this home. */
  processes() {
    const mark = `HOME=${this.path('home')}`
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
      try {
        const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0]
        return state !== 'Z' && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)
      } catch {
        return false
      }
    })
  }

  log() {
    return readFileSync(this.path('serve.log'), 'utf8').slice(-LOG_TAIL)
  }

  /** Kills everything, and returns what was left although it shouldn't be. */
  async end() {
    for (const child of this.outside) child.kill('SIGTERM')
    try {
      if (this.serving) {
        const { json } = await this.try('ls')
        await Promise.all((json?.repos ?? []).map((repo) => this.try('stop', repo.id, '--interrupt')))
        await this.stopServe()
      }
      await eventually('every process of the world to end', () => this.processes().length === 0, FAREWELL)
    } finally {
      this.endNow()
    }
  }

  endNow() {
    worlds.delete(this)
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended in between, which has the same result.
      }
    }
    this.model.stop()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
