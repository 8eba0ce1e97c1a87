// First: what it asks for is on its way while the rest of the program starts.
import { firstAnswer } from './routes/ask-early.ts'

import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { queryClient } from './api/query-client.ts'
import { router } from './routes/router.tsx'
import { watchPreferences } from './state/preferences.ts'
import './ui/base.css'

watchPreferences()

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')

await firstAnswer
createRoot(root).render(
  <StrictMode>
    {/* The page's CSP allows no inline styles, so no library may add a <style>. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
