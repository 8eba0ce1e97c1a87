import type { Lease } from './store.ts'

/** When a lease ends that begins now, epoch ms. */
export function leaseEnd(lease: Lease, now: number): number {
  return 'expiresAtMs' in lease ? lease.expiresAtMs : now + lease.ttlMs
}
