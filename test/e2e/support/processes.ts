import { execFileSync } from 'node:child_process'

import type { App } from './app.ts'

/** The processes of the open databases, by what they are for. In browser mode the program itself answers the screens. */
export async function findStores(app: App): Promise<{ store: number[]; background: number[] }> {
  if (app.host === 'electron') {
    const all = await app.electron.evaluate(({ app: main }) =>
      main.getAppMetrics().map(({ name, pid }) => ({ name, pid })),
    )
    const named = (wanted: string): number[] =>
      all.filter(({ name }) => name === wanted).map(({ pid }) => pid)
    return { store: named('A2 Inspector store'), background: named('A2 Inspector background') }
  }
  // The path of the database is an argument of its process.
  const background = listProcesses().filter(
    ({ command }) => command.includes('background-process') && command.includes(app.folder),
  )
  return { store: background.map(({ ppid }) => ppid), background: background.map(({ pid }) => pid) }
}

export function areRunning(pids: readonly number[]): boolean {
  // One that is dead and only waits to be asked for its end runs no more.
  return listProcesses().some(({ pid, state }) => pids.includes(pid) && !state.startsWith('Z'))
}

function listProcesses() {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], {
    encoding: 'utf8',
  })
  return lines.split('\n').map((line) => {
    const [pid, ppid, state = '', ...command] = line.trim().split(/\s+/)
    return { pid: Number(pid), ppid: Number(ppid), state, command: command.join(' ') }
  })
}
