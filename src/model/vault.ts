/** Whether this program can keep secrets, and where. */
export type VaultFacts =
  | {
      readonly isAvailable: true
      /** The keychain behind it: `keychain`, `dpapi`, `gnome_libsecret`, `kwallet6`. */
      readonly backend: string
    }
  | {
      readonly isAvailable: false
      /**
       * browser: this host has no keychain. no-keychain: the system offers none. basic-text: it offers one that
       * does not encrypt. cannot-decrypt: what was kept cannot be read with the keychain as it is; it is left alone.
       */
      readonly why: 'browser' | 'no-keychain' | 'basic-text' | 'cannot-decrypt'
      readonly backend: string | null
    }
