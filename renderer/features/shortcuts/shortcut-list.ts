import { modKey } from '../../lib/use-hotkeys.ts'

export interface Shortcut {
  readonly keys: readonly string[]
  readonly what: string
}

export interface ShortcutGroup {
  readonly name: string
  readonly shortcuts: readonly Shortcut[]
}

/** Every key there is, by place. */
export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    name: 'Everywhere',
    shortcuts: [
      { keys: [modKey('K')], what: 'Go to a session, event, view or command' },
      { keys: ['?'], what: 'This list' },
      { keys: ['W'], what: 'Unlock or lock writing' },
      { keys: ['P'], what: 'Pause or resume the live view' },
      { keys: ['1', '2', '3', '4', '5'], what: 'Sessions, dead letters, presence, audit, search' },
      { keys: [modKey('⇧F')], what: 'Search payloads' },
      { keys: [modKey('O')], what: 'Open another database' },
      { keys: ['Esc'], what: 'Close what was opened last' },
    ],
  },
  {
    name: 'Lists',
    shortcuts: [
      { keys: ['/'], what: 'Filter' },
      { keys: ['↑', '↓'], what: 'Move by one' },
      { keys: ['PgUp', 'PgDn', 'Home', 'End'], what: 'Move far' },
      { keys: ['Enter'], what: 'Open' },
    ],
  },
  {
    name: 'Session',
    shortcuts: [
      { keys: ['#'], what: 'Go to an event by its index' },
      { keys: ['Home'], what: 'Show what is new' },
      { keys: ['←', '→'], what: 'Close and open, in a payload' },
    ],
  },
  {
    name: 'Dead letter',
    shortcuts: [
      { keys: ['R'], what: 'Retry' },
      { keys: ['S'], what: 'Skip, after a look at what that does' },
      { keys: ['O'], what: 'Open its session, from the list of dead letters' },
    ],
  },
]
