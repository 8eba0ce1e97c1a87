import { useEffect, useRef } from 'react'

/** What a key, the native menu or the palette can ask for. */
export type Command =
  | 'find'
  | 'palette'
  | 'shortcuts'
  | 'toggle-theme'
  | 'toggle-live'
  | 'toggle-writing'
  | 'open'
  | 'back'
  | 'forward'
  | 'go-sessions'
  | 'go-dead'
  | 'go-presence'
  | 'go-audit'
  | 'go-search'
  | 'clear'
  | 'reclaim'
  | 'retry'
  | 'skip'

type Handlers = Partial<Record<Command, () => void>>

const stack: { readonly current: Handlers }[] = []

/** Runs a command with the handler mounted last; unknown or unanswered commands do nothing. */
export function runCommand(command: string): void {
  for (const { current } of stack) {
    const handler = new Map<string, () => void>(Object.entries(current)).get(command)
    if (handler !== undefined) return handler()
  }
}

/** Whether something on screen can do it now. */
export function isAnswered(command: Command): boolean {
  return stack.some(({ current }) => current[command] !== undefined)
}

/** Answers commands for as long as the component is mounted. */
export function useCommands(handlers: Handlers): void {
  const latest = useRef(handlers)
  useEffect(() => {
    latest.current = handlers
  })
  useEffect(() => {
    stack.unshift(latest)
    return () => void stack.splice(stack.indexOf(latest), 1)
  }, [])
}
