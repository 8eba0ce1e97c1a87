export interface Toast {
  readonly tone: 'good' | 'warning' | 'bad' | 'normal'
  /** The session it is about, when it is about one. */
  readonly sessionId?: string
  /** Names the thing whose outcome it tells: a later one of the same name takes its place. */
  readonly about?: string
  /** One sentence. */
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

export type ShownToast = Toast & { readonly key: number }

const MOST = 4

/** The messages with one more, newest last: what it says anew goes, and the oldest beyond four. */
export function withToast(shown: readonly ShownToast[], toast: ShownToast): readonly ShownToast[] {
  const { about } = toast
  const others = about === undefined ? shown : shown.filter((one) => one.about !== about)
  return [...others, toast].slice(-MOST)
}
