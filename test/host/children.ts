import { execFileSync } from 'node:child_process'

/** The processes that run what takes long, of one program: the pids of those it has now. */
export function backgroundsOf(parent: number): number[] {
  return listProcesses()
    .filter(({ ppid, command }) => ppid === parent && command.includes('background-process'))
    .map(({ pid }) => pid)
}

export function isRunning(pid: number): boolean {
  // One that is dead and only waits to be asked for its end runs no more.
  return listProcesses().some((one) => one.pid === pid && !one.state.startsWith('Z'))
}

/** It computes and computes, and hears nothing. */
export function isBusy(pid: number): boolean {
  return Array.from({ length: 6 }, () =>
    listProcesses().some((one) => one.pid === pid && one.state.startsWith('R')),
  ).every(Boolean)
}

function listProcesses() {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
  return lines.split('\n').map((line) => {
    const [pid, ppid, state = '', ...command] = line.trim().split(/\s+/)
    return { pid: Number(pid), ppid: Number(ppid), state, command: command.join(' ') }
  })
}
