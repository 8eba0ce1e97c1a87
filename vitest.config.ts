import { defineConfig } from 'vitest/config'

/** Apart from vite.config.ts, whose root is the renderer's folder. Only tests of what is about Postgres start servers. */
export default defineConfig({
  test: {
    // One more than the two cores it is run on: tests of servers and of other processes wait for a third of their time.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'renderer/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [
            'test/store/**',
            'test/postgres-connect/**',
            'test/host-postgres/**',
            'test/inspector-postgres/**',
            'test/e2e/**',
            '**/node_modules/**',
          ],
        },
      },
      {
        test: {
          name: 'postgres-connect',
          include: ['test/postgres-connect/**/*.test.ts', 'test/host-postgres/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'inspector-postgres',
          include: ['test/inspector-postgres/**/*.test.ts'],
          globalSetup: ['test/support/postgres-setup.ts'],
          testTimeout: 30_000,
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
