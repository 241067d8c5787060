// The model stand-in as a separate process: see tests/support/model for the words that choose its reply.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { program } from './programs.js'

export class Model {
  /** Starts on a free port, and waits until it serves. */
  static async start() {
    const child = spawn(program('examples/model'), { stdio: ['pipe', 'pipe', 'inherit'], env: {} })
    const url = await new Promise((answer, refuse) => {
      child.once('error', refuse)
      child.once('exit', (code) => refuse(new Error(`the model stand-in ended with ${code}`)))
      createInterface({ input: child.stdout }).once('line', answer)
    })
    return new Model(child, url)
  }

  constructor(child, url) {
    this.child = child
    this.url = url
  }

  /** Lets all replies continue that wait at `HOLD{name}`, now or later. */
  release(name) {
    this.child.stdin.write(`${name}\n`)
  }

  stop() {
    this.child.kill('SIGKILL')
  }
}
