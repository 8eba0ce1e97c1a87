import { defineConfig } from 'vitest/config'

/** Apart from vite.config.ts, whose root is the renderer's folder. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'renderer/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
