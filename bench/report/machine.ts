import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os'

/** What it ran on; nothing that tells one machine of the kind from another. */
export function describeMachine(): string {
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB memory`
  const system = `${type()} ${release().split('-')[0]} ${arch()}`
  const model = cpu?.model.trim() ?? 'unknown processor'
  return [`${availableParallelism()} × ${model}`, memory, system, `Node ${process.version}`].join(
    ', ',
  )
}
