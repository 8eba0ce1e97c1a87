import { Link } from '@tanstack/react-router'

import { EmptyState } from '../ui/states.tsx'

/** An address that names no screen. */
export function NotFoundScreen() {
  return (
    <main className="not-found">
      <EmptyState actions={<Link to="/">Back to start</Link>} title="No such screen">
        The address names nothing the inspector can show.
      </EmptyState>
    </main>
  )
}
