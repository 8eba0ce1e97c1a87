import type { Lease } from './store.ts'

/** When a lease ends that begins now, epoch ms. Throws TypeError for an end that is no moment: such a lease would never have been taken. */
export function leaseEnd(lease: Lease, now: number): number {
  const end = 'expiresAtMs' in lease ? lease.expiresAtMs : now + lease.ttlMs
  if (!Number.isSafeInteger(end)) throw new TypeError(`a lease cannot end at ${end}`)
  return end
}
