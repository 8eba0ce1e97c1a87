import { useEffect, useRef, useState } from 'react'

import { pathOfDropped } from '../../api/connect.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useOpenDatabase } from './use-open-database.ts'
import './start.css'

/** The whole window takes a dropped file; a drop never navigates away. */
export function DropTarget() {
  const [isOver, setOver] = useState(false)
  const { openPath } = useOpenDatabase()
  const latest = useRef(openPath)
  useEffect(() => {
    latest.current = openPath
  })
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      setOver(false)
      const path = pathOfTransfer(event.dataTransfer)
      if (path !== null) latest.current(path)
    }
    const over = (event: DragEvent): void => {
      event.preventDefault()
      setOver(event.dataTransfer?.types.includes('Files') === true)
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    addEventListener('dragover', over, { signal })
    addEventListener('dragleave', leave, { signal })
    addEventListener('drop', drop, { signal })
    return () => stop.abort()
  }, [])
  if (!isOver) return null
  return (
    <div aria-hidden="true" className="drop-veil">
      Drop to open it, reading only
    </div>
  )
}

function pathOfTransfer(transfer: DataTransfer | null): string | null {
  const [file] = transfer?.files ?? []
  if (file === undefined) return null
  const path = pathOfDropped(file)
  if (path === null || path === '') {
    showToast({
      tone: 'warning',
      text: 'A browser tab is not told where a dropped file lies. Type its path on the start screen instead.',
    })
    return null
  }
  return path
}
