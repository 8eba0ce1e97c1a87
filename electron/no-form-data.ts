/**
 * For a process of ours: no form goes through its ports, yet each message is asked whether it is one, and to ask
 * for Node's class loads its whole HTTP client: 50 ms before the first answer.
 */
export function forgetForms(): void {
  Object.defineProperty(globalThis, 'FormData', {
    value: NoForm,
    configurable: true,
    writable: true,
  })
}

class NoForm {
  readonly [Symbol.toStringTag] = 'FormData'
}
