import type { DatabaseTrouble, TroubleKind } from './database.ts'
import { SERVER_TROUBLE_TEXTS, type TroubleText } from './server-trouble-texts.ts'

const NOTHING_READ = 'Nothing was opened and nothing was written.'
const FILE_UNCHANGED = 'The file was only read, no byte of it was changed.'

const TEXTS: Record<TroubleKind, TroubleText> = {
  'not-found': {
    title: 'No file there',
    what: 'There is no file at this path. It may have been moved, deleted, or not been created yet.',
    untouched: 'Nothing was created in its place.',
    next: 'Start the app that writes it, then try again; or open another file.',
  },
  'is-a-folder': {
    title: 'This is a folder',
    what: 'The path names a folder, not a database file.',
    untouched: NOTHING_READ,
    next: 'Open the file inside it; a2 stores are usually at .a2/dev.db.',
  },
  'not-a-file': {
    title: 'Not an ordinary file',
    what: 'The path names a pipe, a socket or a device. Reading one may never end, so it was not opened.',
    untouched: NOTHING_READ,
    next: 'Open an ordinary database file instead.',
  },
  'no-permission': {
    title: 'No permission to read it',
    what: 'This user may not read the file or a folder above it.',
    untouched: NOTHING_READ,
    next: 'Ask the owner for read permission, or open a copy you may read.',
  },
  'empty-file': {
    title: 'The file is empty',
    what: 'The file holds 0 bytes. An app that has just created its store looks like this until its first write.',
    untouched: 'It was left empty; no table was created in it.',
    next: 'Let the app write its first event, then try again.',
  },
  'not-a-database': {
    title: 'Not a SQLite database',
    what: 'The file does not begin like a SQLite database. It is another kind of file, or it is encrypted.',
    untouched: FILE_UNCHANGED,
    next: 'Check the path, or open another file.',
  },
  encrypted: {
    title: 'It looks encrypted',
    what: 'The file has the size and the randomness of an encrypted database. The inspector reads plain SQLite only.',
    untouched: FILE_UNCHANGED,
    next: 'Export a plain copy with the program that holds the key, and open that.',
  },
  'not-a2': {
    title: 'No a2 store inside',
    what: 'This is a SQLite database, but it has no table a2_events.',
    untouched: 'It was only read; no table was created in it.',
    next: 'Open the store of an a2 app. If this is a copy of one, put its -wal file beside it as well: the tables may be only there.',
  },
  'column-missing': {
    title: 'A needed column is missing',
    what: 'The table a2_events lacks a column without which events cannot be told apart.',
    untouched: 'It was only read; the schema was left as it is.',
    next: 'They were made by a version this program does not know. Please report its a2 version.',
  },
  incompatible: {
    title: 'The tables are not as expected',
    what: 'The database refused the statement: its tables demand something this program does not write, or lack something it needs.',
    untouched: 'The whole transaction was taken back; no row was changed.',
    next: 'They were made by a version this program does not know. Please report its a2 version.',
  },
  corrupt: {
    title: 'Part of the file is damaged',
    what: 'SQLite found a page that does not fit the rest. Other parts may still be readable.',
    untouched: 'Nothing was repaired or changed; what is left of the data is as it was.',
    next: 'Make a copy of the file and its -wal first. Parts that can be read still open; try again after restoring a backup.',
  },
  locked: {
    title: 'Locked by another program',
    what: 'Another program holds an exclusive lock on the file, so not even reading is possible now.',
    untouched: 'Nothing was read half, and nothing of the other program was interrupted.',
    next: 'It is tried again as soon as the file changes. If it stays, look for a program in exclusive mode or a long write.',
  },
  'read-only-folder': {
    title: 'The folder cannot be written',
    what: 'The file is in WAL mode. SQLite must place a -shm file beside it even to read, and may not in this folder.',
    untouched: NOTHING_READ,
    next: 'Copy the file together with its -wal into a folder you may write, and open the copy.',
  },
  'hot-journal': {
    title: 'An interrupted write is waiting',
    what: 'A program stopped in the middle of a write. The next program that opens the file for writing has to roll it back, and reading must not.',
    untouched: 'The journal was left beside the file, so that nothing is lost.',
    next: 'Start the app that owns the file once, then try again.',
  },
  'cannot-open': {
    title: 'The file could not be opened',
    what: 'The system refused to open the file although it exists and may be read.',
    untouched: NOTHING_READ,
    next: 'Check the disk and how it is mounted, then try again; or open a copy.',
  },
  'read-only': {
    title: 'It cannot be written',
    what: 'The file or its disk is read-only for this user.',
    untouched: 'Nothing was written. Browsing goes on.',
    next: 'Give this user write permission for the file and its folder, then try the action again.',
  },
  disk: {
    title: 'The disk reported an error',
    what: 'A read or write on the disk failed, or the disk is full.',
    untouched: 'A write that was under way was rolled back as a whole.',
    next: 'Check the free space and the health of the disk, then try again.',
  },
  'process-ended': {
    title: 'It was interrupted',
    what: 'The part of the inspector that was reading the database ended, and was started again.',
    untouched: FILE_UNCHANGED,
    next: 'Try again. If it stays, please report what you did before.',
  },
  unexpected: {
    title: 'The database reported something unexpected',
    what: 'The database answered with an error this program has no name for.',
    untouched: 'A write that was under way was rolled back as a whole; reading changed nothing.',
    next: 'Try again. If it stays, please report the code below.',
  },
  ...SERVER_TROUBLE_TEXTS,
}

const WHY_IGNORED: Readonly<Record<IgnoredPassfile['why'], string>> = {
  'open-to-others': 'others may read it',
  'not-a-file': 'it is not an ordinary file',
}

/** The words for a trouble; names the missing column, and the password file that was left out. */
export function describeTrouble(
  trouble: Pick<DatabaseTrouble, 'kind' | 'code' | 'detail'>,
): TroubleText {
  const text = TEXTS[trouble.kind]
  if (trouble.kind === 'cancelled' && trouble.code === 'unconfirmed') {
    return {
      ...text,
      what: 'The wait was ended, but the server did not confirm that it stopped the statement: the way to it does not answer.',
      next: 'It is connected anew. If the statement still runs, the server ends it at its own limit.',
    }
  }
  const ignored = findIgnoredPassfile(trouble)
  if (ignored !== null) {
    return {
      ...text,
      what: `The server asks for a password. ${describeIgnoredPassfile(ignored)}`,
      next:
        ignored.why === 'open-to-others'
          ? 'Make it private with chmod 600 and connect again, or enter the password.'
          : 'Name another file, or enter the password.',
    }
  }
  if (trouble.kind !== 'column-missing' || trouble.code === null) return text
  return {
    ...text,
    what: `The column ${trouble.code} is missing, and events cannot be read without it.`,
  }
}

/** A password file that was left unread, as libpq does. */
export interface IgnoredPassfile {
  readonly path: string
  readonly why: 'open-to-others' | 'not-a-file'
}

/** Which password file was left out on the way to a missing password; null: none was. */
export function findIgnoredPassfile({
  kind,
  code,
  detail,
}: Pick<DatabaseTrouble, 'kind' | 'code' | 'detail'>): IgnoredPassfile | null {
  if (kind !== 'password-missing' || !detail) return null
  return code === 'open-to-others' || code === 'not-a-file' ? { path: detail, why: code } : null
}

export function describeIgnoredPassfile({ path, why }: IgnoredPassfile): string {
  return `The password file ${path} was left out: ${WHY_IGNORED[why]}.`
}
