import { Outlet } from '@tanstack/react-router'

import { Toasts } from '../ui/toasts.tsx'

export function RootLayout() {
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  )
}
