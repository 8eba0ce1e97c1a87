import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Machine } from '../../../src/store/postgres/connect/local-files.ts'
import { emptyMachine } from './connect.ts'

/** What the stand-in does, by the name of its destination. */
const PROGRAM = `#!${process.execPath}
const { appendFileSync } = require('node:fs')
const { connect } = require('node:net')
const args = process.argv.slice(2)
appendFileSync(__dirname + '/calls', JSON.stringify({ args, pid: process.pid }) + '\\n')
const [, host, port] = /^\\[?(.*?)\\]?:(\\d+)$/.exec(args[args.indexOf('-W') + 1])
const fail = (text) => { process.stderr.write(text + '\\r\\n'); process.exit(255) }
const pipe = (done = () => {}) => {
  const socket = connect(Number(port), host === 'db.inside' ? '127.0.0.1' : host, done)
  socket.on('error', (error) => fail('channel 0: open failed: connect failed: ' + error.code + '\\nstdio forwarding failed'))
  process.stdin.pipe(socket)
  socket.pipe(process.stdout)
  socket.on('close', () => process.exit(0))
  return socket
}
switch (args.at(-1)) {
  case 'denied': fail('\\u001b[31mme@denied: Permission denied (publickey).'); break
  case 'slow': setTimeout(pipe, 300); break
  case 'hangs': setInterval(() => {}, 1000); break
  case 'breaks': { const socket = pipe(() => process.on('SIGUSR2', () => { socket.destroy(); fail('Timeout, server breaks not responding.') })); socket.removeAllListeners('close'); break }
  default: pipe()
}
`

export interface FakeSsh {
  readonly machine: Machine
  /** The arguments and process of each call so far. */
  calls(): { readonly args: string[]; readonly pid: number }[]
}

/** A stand-in for ssh at the head of the path of a machine. */
export function makeFakeSsh(): FakeSsh {
  const folder = emptyMachine().home
  writeFileSync(join(folder, 'ssh'), PROGRAM, { mode: 0o700 })
  writeFileSync(join(folder, 'calls'), '')
  return {
    machine: emptyMachine({ PATH: `${folder}:${process.env['PATH']}` }),
    calls: () =>
      readFileSync(join(folder, 'calls'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { args: string[]; pid: number }),
  }
}

/** Whether a process is still there; one that has ended but was not waited for counts as gone. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
