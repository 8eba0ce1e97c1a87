import type { Secret } from '../../model/secret.ts'
import type { VaultFacts } from '../../model/vault.ts'

/** Where the program keeps secrets for a person. */
export interface Vault {
  facts(): Promise<VaultFacts>
  /** null: nothing is kept under this id. Rejects when it is kept and cannot be decrypted, or not read. */
  read(id: string): Promise<Secret | null>
  /** Rejects when it cannot be encrypted; nothing is written in plain text, ever. */
  write(id: string, secret: Secret): Promise<void>
  /** An unknown id is fine. */
  remove(id: string): Promise<void>
}

/** For a host that has none: each secret is asked for, or comes from the password file or a command. */
export const NO_VAULT: Vault = {
  facts: async () => ({ isAvailable: false, why: 'browser', backend: null }),
  read: async () => null,
  write: async () => {
    throw new Error('this host keeps no secrets')
  },
  remove: async () => {},
}
