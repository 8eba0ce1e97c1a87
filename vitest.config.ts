import { defineConfig } from 'vitest/config'

/** Apart from vite.config.ts, whose root is the renderer's folder. Only the store's and the connection's tests start Postgres. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'renderer/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [
            'test/store/**',
            'test/postgres-connect/**',
            'test/e2e/**',
            '**/node_modules/**',
          ],
        },
      },
      {
        test: {
          name: 'postgres-connect',
          include: ['test/postgres-connect/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'store',
          include: ['test/store/**/*.test.ts'],
          globalSetup: ['test/support/postgres-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
})
