import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** The screens. Electron serves the result from app://inspector/, browser mode from http://127.0.0.1. */
export default defineConfig({
  root: fileURLToPath(new URL('renderer', import.meta.url)),
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'chrome130',
    modulePreload: { polyfill: false },
    // No data: URLs, the page's CSP does not allow them.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
