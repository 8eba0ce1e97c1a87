import { useState } from 'react'

import { Button } from '../../ui/button.tsx'
import { useOpenDatabase } from './use-open-database.ts'

/** A path typed or pasted; the only way in a browser tab, the second one in a window. */
export function PathField({ isPrimary }: { readonly isPrimary: boolean }) {
  const [path, setPath] = useState('')
  const { isPending, openPath } = useOpenDatabase()
  const cleaned = path.trim().replace(/^(["'])(.*)\1$/, '$2')
  return (
    <form
      className="start-path"
      onSubmit={(event) => {
        event.preventDefault()
        if (cleaned !== '') openPath(cleaned)
      }}
    >
      <input
        aria-label="Path of a database file"
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        className="input"
        onChange={(event) => setPath(event.target.value)}
        placeholder={isPrimary ? 'path of a database, for example .a2/dev.db' : 'or type a path'}
        spellCheck={false}
        value={path}
      />
      <Button
        disabled={isPending || cleaned === ''}
        tone={isPrimary ? 'primary' : 'normal'}
        type="submit"
      >
        Open
      </Button>
    </form>
  )
}
