import type { Random } from './random.ts'

/** An event as the sample app appends it. */
export interface SampleEvent {
  readonly type: string
  readonly payload: unknown
  readonly lane?: string
  readonly settled?: boolean
}

/** What the handler of an event does: how long it takes, and how it ends. */
export interface Reaction {
  readonly tookMs: number
  readonly end:
    | { readonly kind: 'done'; readonly events: readonly SampleEvent[] }
    | { readonly kind: 'fail'; readonly error: string }
    /** The worker dies: nothing is written, the lease runs out. */
    | { readonly kind: 'vanish' }
}

/** Attempts after which a failing event becomes a dead letter. */
export const MAX_FAILURES = 3

const QUESTIONS = [
  'Where is my order?',
  'And the refund?',
  'Yes, order both please',
  'Können Sie das bitte prüfen?',
  '注文をキャンセルしたいです 🙏',
  'שלום, אפשר לשנות את הכתובת?',
  'It says “delivered”, but nothing arrived.',
] as const
const ANSWERS = [
  'I found two orders for you.',
  'Your parcel left our warehouse this morning.',
  'Done. You will get a mail in a minute.',
] as const
const SKUS = ['MUG-BLUE-35', 'TEE-M-BLACK', 'CAP-RED', 'BAG-CANVAS-2'] as const

export function userMessage(random: Random): SampleEvent {
  return {
    type: 'user.message',
    lane: 'turn',
    payload: { text: random.pick(QUESTIONS), channel: random.pick(['web', 'ios', 'mail']) },
  }
}

export function orderPlaced(random: Random): SampleEvent {
  const lines = Array.from({ length: random.between(1, 4) }, () => ({
    sku: random.pick(SKUS),
    qty: random.between(1, 3),
    unit: random.between(495, 8990),
  }))
  return {
    type: 'order.placed',
    lane: 'turn',
    payload: { order: `ord_${random.between(100_000, 999_999)}`, lines, coupon: null },
  }
}

/** A change to an order; it has to wait until the order is paid. */
export function orderChanged(random: Random): SampleEvent {
  return {
    type: 'order.changed',
    lane: 'turn',
    payload: { note: random.pick(QUESTIONS), gift: random.chance(0.3) },
  }
}

export function importedRows(random: Random, from: number, count: number): SampleEvent[] {
  return Array.from({ length: count }, (_, offset) => ({
    type: 'catalog.row',
    settled: true,
    payload: {
      row: from + offset,
      sku: random.pick(SKUS),
      price: random.between(95, 29_900) / 100,
    },
  }))
}

/** What happens when the sample's worker handles an event. */
export function react(
  event: { readonly type: string; readonly attemptCount: number },
  random: Random,
): Reaction {
  switch (event.type) {
    case 'user.message':
      return done(random.between(5, 40), [
        {
          type: 'llm.requested',
          lane: 'turn',
          payload: { model: 'm-large', tokens: random.between(900, 22_000), temperature: 0.2 },
        },
      ])
    case 'llm.requested':
      return llm(event.attemptCount, random)
    case 'tool.called':
      return random.chance(0.06)
        ? { tookMs: 900, end: { kind: 'vanish' } }
        : done(random.between(60, 900), [
            {
              type: 'tool.returned',
              settled: true,
              payload: { ok: true, rows: random.between(0, 9) },
            },
          ])
    case 'order.placed':
      return done(random.between(8, 30), [
        {
          type: 'payment.capture',
          lane: 'turn',
          payload: { amount: '129.00', currency: 'EUR', idempotency: 90_071_992_547_409 },
        },
        {
          type: 'stock.reserve',
          lane: 'stock',
          payload: { warehouse: random.pick(['WRO-2', 'LIS-1']) },
        },
        { type: 'mail.send', lane: 'mail', payload: { template: 'order-confirmation' } },
      ])
    case 'payment.capture':
      return payment(event.attemptCount, random)
    case 'stock.reserve':
      return done(random.between(10, 90), [
        { type: 'stock.reserved', settled: true, payload: { bins: ['A-17-3', 'C-02-9'] } },
      ])
    case 'mail.send':
      return random.chance(0.35)
        ? fail(random.between(200, 800), 'connect ECONNREFUSED 127.0.0.1:587')
        : done(random.between(80, 300), [])
    default:
      return done(random.between(5, 50), [])
  }
}

function llm(attempt: number, random: Random): Reaction {
  if (attempt < 3 && random.chance(0.1)) return fail(2000, 'HTTP 429: slow down, retry after 2 s')
  const answer: SampleEvent = {
    type: 'llm.completed',
    settled: true,
    payload: { text: random.pick(ANSWERS), usage: { in: random.between(900, 22_000), out: 211 } },
  }
  if (!random.chance(0.4)) return done(random.between(700, 2600), [answer])
  return done(random.between(700, 2600), [
    answer,
    { type: 'tool.called', lane: 'tools', payload: { tool: 'lookup_order', args: { id: 118 } } },
  ])
}

/** A declined card stays declined for the first attempts; after a person redrives it, it usually works. */
function payment(attempt: number, random: Random): Reaction {
  const isDeclined =
    attempt <= MAX_FAILURES ? random.chance(0.2) || attempt > 1 : random.chance(0.2)
  if (isDeclined) return fail(random.between(300, 900), 'card_declined: insufficient funds')
  return done(random.between(300, 1800), [
    { type: 'payment.captured', settled: true, payload: { psp: 'examplepay', fee: 1.29 } },
  ])
}

function done(tookMs: number, events: readonly SampleEvent[]): Reaction {
  return { tookMs, end: { kind: 'done', events } }
}

function fail(tookMs: number, error: string): Reaction {
  return { tookMs, end: { kind: 'fail', error } }
}
