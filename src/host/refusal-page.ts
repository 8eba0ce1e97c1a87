import type { ServerResponse } from 'node:http'

import { SECURITY_HEADERS } from '../shell/renderer-files.ts'
import type { Refusal } from './http-guard.ts'

const ANSWERS: Readonly<Record<Refusal, { status: number; text: string }>> = {
  'no-token': {
    status: 401,
    text: 'This address alone is not enough. Use the address that A2 Inspector printed in the terminal where it was started; it ends in a token that lets this browser in. If it was started again since, it printed a new one.',
  },
  'wrong-host': {
    status: 421,
    text: 'A2 Inspector answers on 127.0.0.1 and localhost only. Use the address that it printed in the terminal where it was started.',
  },
  'wrong-origin': { status: 403, text: 'A2 Inspector answers its own pages only.' },
  'too-large': { status: 413, text: 'This is more than any call of ours sends.' },
  'wrong-method': { status: 405, text: 'Nothing answers to this method here.' },
}

/** A kind page that says what to do. Nothing of the request is repeated in it. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  const { status, text } = ANSWERS[refusal]
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>A2 Inspector</title><h1>A2 Inspector</h1><p>${text}</p></html>`,
  )
}
