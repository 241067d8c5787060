// The model stand-in as a process of its own: see tests/support/model.rs for what a question makes it reply.
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

  /** Lets every reply go on that stands at `HOLD{name}`, now or later. */
  release(name) {
    this.child.stdin.write(`${name}\n`)
  }

  stop() {
    this.child.kill('SIGKILL')
  }
}
