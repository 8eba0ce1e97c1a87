import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { App } from './support/app.ts'
import { expect, test } from './support/app.ts'
import { connectHost } from './support/rpc.ts'

test('a program for a password runs only once it was confirmed outside of the page', async ({
  app,
}) => {
  const page = await app.open(null)
  await expect(page.getByText('or drop a file here')).toBeVisible()
  const host = await connectHost(page)
  const [script, trace] = [join(app.folder, 'give'), join(app.folder, 'was-run')]
  writeFileSync(script, `#!/bin/sh\ntouch '${trace}'\necho secret\n`)
  chmodSync(script, 0o700)
  // Nothing listens there.
  const parsed = await host.connections.parse({ text: 'postgres://orders@127.0.0.1:1/app' })
  if (!parsed.ok) throw new Error('a plain URL')
  const password = { from: 'command', argv: [script, '--of', 'a b'] } as const
  const settings = { ...parsed.settings, password }
  const save = () => host.connections.save({ databaseId: null, name: 'Orders', settings })

  const asked = await answerDialogs(app, 0)
  await expect(save()).rejects.toMatchObject({ code: 'COMMAND_NOT_CONFIRMED' })
  expect(await host.connections.list()).toStrictEqual([])
  expect(await asked()).toMatchObject([
    {
      message: 'Run this program to get the password?',
      detail: expect.stringContaining(
        `For postgres://orders@127.0.0.1:1/app\n\n"${script}"\n"--of"\n"a b"\n\n`,
      ),
      buttons: ['Do not run it', 'Run it'],
      defaultId: 0,
      cancelId: 0,
    },
  ])
  await answerDialogs(app, 1)
  expect(await save()).toMatchObject({ name: 'Orders', settings: { password } })
  // Saving runs nothing.
  expect(existsSync(trace)).toBe(false)
})

/** Stands in for the person before the system's own window; the answer gives what it was told to show. */
async function answerDialogs(app: App, response: number): Promise<() => Promise<unknown[]>> {
  await app.electron.evaluate(({ dialog }, given) => {
    const shown: unknown[] = []
    Reflect.set(globalThis, 'shown', shown)
    dialog.showMessageBox = async (...call: unknown[]) => {
      shown.push(call.at(-1))
      return { response: given, checkboxChecked: false }
    }
  }, response)
  return () => app.electron.evaluate(() => Reflect.get(globalThis, 'shown') as unknown[])
}
