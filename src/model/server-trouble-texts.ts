import type { TroubleKind } from './database.ts'

/** What a person is told when a database cannot be read or written. */
export interface TroubleText {
  /** A few words. */
  readonly title: string
  /** One or two sentences: what happened. */
  readonly what: string
  /** One sentence: what was not touched or lost. */
  readonly untouched: string
  /** One or two sentences: the next step. */
  readonly next: string
}

const NOT_CONNECTED = 'No connection was made, so nothing was read or written.'
const NO_SECRET_SENT = 'The password was not sent, and nothing was read or written.'
const SCREEN_KEPT = 'What is on the screen stays as it was last read.'
const NOTHING_CHANGED = 'No row was changed.'

export const SERVER_TROUBLE_TEXTS = {
  unreachable: {
    title: 'The server cannot be reached',
    what: 'Nothing answers at this address and port: the server is down, or the network or a firewall is in between.',
    untouched: NOT_CONNECTED,
    next: 'Check host, port and VPN. It is tried again until it answers.',
  },
  'no-such-host': {
    title: 'The host name is not known',
    what: 'No address could be found for the name of the host.',
    untouched: NOT_CONNECTED,
    next: 'Check the spelling and the VPN. The name is looked up anew at each try.',
  },
  timeout: {
    title: 'No answer in time',
    what: 'The answer did not come before the deadline. The server is busy, or packets are lost on the way.',
    untouched: `The wait was ended on both sides as far as possible. ${SCREEN_KEPT}`,
    next: 'Try again; if it stays, ask for less at once or look at the load of the server.',
  },
  cancelled: {
    title: 'Stopped as you asked',
    what: 'The statement was cancelled on the server.',
    untouched: NOTHING_CHANGED,
    next: 'Start it again whenever you like.',
  },
  'connection-lost': {
    title: 'The connection was lost',
    what: 'The connection ended without a goodbye: the server or something on the way closed it.',
    untouched: SCREEN_KEPT,
    next: 'It is connected again by itself, and reads are repeated.',
  },
  'auth-failed': {
    title: 'The server refused the password',
    what: 'User and password do not fit, or the role may not log in.',
    untouched: NOT_CONNECTED,
    next: 'Check the user and where the password comes from, then connect again.',
  },
  'not-admitted': {
    title: 'The server does not admit this user here',
    what: 'No rule of the server lets this user into this database from here. It may demand encryption, a client certificate or another address.',
    untouched: NOT_CONNECTED,
    next: 'Check user, database, sslmode and client certificate; else ask for a line in pg_hba.conf.',
  },
  'password-missing': {
    title: 'A password is needed',
    what: 'The server asks for a password, and none was given or found.',
    untouched: NOT_CONNECTED,
    next: 'Enter it, or say where it comes from. A password file that others may read is left out: chmod 600 it.',
  },
  'secret-unavailable': {
    title: 'The password could not be fetched',
    what: 'The command or the vault that keeps the password did not give it.',
    untouched: 'Nothing in the vault was changed, and no connection was made.',
    next: 'Run the command by hand, or choose to be asked each time.',
  },
  'tls-not-offered': {
    title: 'The server has no TLS',
    what: 'Encryption is demanded by the settings, and the server does not offer it.',
    untouched: NO_SECRET_SENT,
    next: 'Switch TLS on in the server. Only on a network you trust choose sslmode prefer instead.',
  },
  'tls-untrusted': {
    title: 'The certificate is not trusted',
    what: 'The certificate of the server was not signed by an authority that is trusted here. Somebody may be in between.',
    untouched: NO_SECRET_SENT,
    next: 'Choose the root certificate that belongs to this server.',
  },
  'tls-wrong-host': {
    title: 'The certificate is for another host',
    what: 'The certificate is trusted, but it does not name the host that was asked for. Somebody may be in between.',
    untouched: NO_SECRET_SENT,
    next: 'Connect by a name in the certificate. verify-ca leaves the name unchecked.',
  },
  'tls-expired': {
    title: 'The certificate is not valid today',
    what: 'The certificate of the server has expired or begins later, by the clock of this machine.',
    untouched: NO_SECRET_SENT,
    next: 'Check the clock of this machine, then ask for a new certificate.',
  },
  'tls-client-certificate': {
    title: 'The client certificate was not accepted',
    what: 'The server wants a client certificate and got none, or one that it does not trust.',
    untouched: NO_SECRET_SENT,
    next: 'Choose the certificate and key that were issued for this user.',
  },
  'tls-file': {
    title: 'A certificate file cannot be used',
    what: 'A certificate or key file is missing, unreadable, open to other users, or its passphrase does not fit.',
    untouched: NOT_CONNECTED,
    next: 'Check the path named below; a key needs chmod 600.',
  },
  'tls-failed': {
    title: 'No encryption could be agreed on',
    what: 'The TLS handshake with the server failed.',
    untouched: NO_SECRET_SENT,
    next: 'Check that a Postgres server listens there and allows TLS 1.2 or later.',
  },
  'no-such-database': {
    title: 'The server has no such database',
    what: 'The server answers, but there is no database of this name.',
    untouched: 'Nothing was created.',
    next: 'Check the name of the database.',
  },
  'no-such-schema': {
    title: 'The database has no such schema',
    what: 'The database has no schema of this name, or this role may not see it.',
    untouched: 'Nothing was created.',
    next: 'Check the name; capitals count.',
  },
  'no-a2-tables': {
    title: 'No a2 store in this schema',
    what: 'The database answers, but there is no table a2_events on the search path.',
    untouched: 'No table was created.',
    next: 'Check database and schema; a new store has its tables as soon as the app has opened it once.',
  },
  'no-right': {
    title: 'The role lacks a right',
    what: 'The role this connection uses may not do that in this database.',
    untouched: NOTHING_CHANGED,
    next: 'Connect as a role that has the right, or ask for a grant.',
  },
  'too-many-connections': {
    title: 'The server is full',
    what: 'All connections of the server, or of this role, are taken.',
    untouched: 'No connection of anybody else was disturbed.',
    next: 'It is tried again with growing pauses.',
  },
  'server-shutting-down': {
    title: 'The server stops or starts',
    what: 'The server ended the connection by command, or it is just stopping, starting or recovering.',
    untouched: SCREEN_KEPT,
    next: 'It is connected again by itself as soon as the server lets it.',
  },
  standby: {
    title: 'This server is a standby',
    what: 'The server replays another one and takes no writes. After a failover this can be the server that used to be the primary.',
    untouched: `Writing is locked. ${NOTHING_CHANGED}`,
    next: 'Browse here, or connect to the primary to write.',
  },
  'read-only-server': {
    title: 'The server takes no writes now',
    what: 'The server, the database or the role is set to read-only.',
    untouched: NOTHING_CHANGED,
    next: 'Ask why default_transaction_read_only is on. Browsing goes on.',
  },
  'writing-locked': {
    title: 'Writing is locked',
    what: 'Writing was not unlocked for this connection, or its time is over.',
    untouched: NOTHING_CHANGED,
    next: 'Unlock writing, then do it again.',
  },
  'lock-timeout': {
    title: 'Somebody else holds the lock',
    what: 'Another session holds what this statement needs, and it was not waited for any longer.',
    untouched: NOTHING_CHANGED,
    next: 'Try again in a moment; if it stays, look for a long transaction or a migration.',
  },
  'pooler-refused': {
    title: 'The pooler refused the connection',
    what: 'A pooler such as PgBouncer stands before the server and does not let this connection through.',
    untouched: NOT_CONNECTED,
    next: 'Read what it said below; check user, password and database there, or connect to the server itself.',
  },
  'ssh-failed': {
    title: 'ssh did not get through',
    what: 'The program ssh ended instead of reaching the database.',
    untouched: NOT_CONNECTED,
    next: 'Read what it said below, and try the same destination with ssh in a terminal first.',
  },
} as const satisfies Partial<Record<TroubleKind, TroubleText>>
