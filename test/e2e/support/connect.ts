import { expect, type Page } from '@playwright/test'

import type { Environment } from '../../../src/model/connection.ts'
import type { App } from './app.ts'

/** Types a secret as a keyboard does and hands it over. */
export async function answerPassword(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Password' })
  await expect(dialog.getByLabel('Password')).toBeFocused()
  await page.keyboard.insertText(password)
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await expect(dialog).toBeHidden()
}

/** Fills the form of the start screen. */
export async function fillConnection(
  page: Page,
  url: string,
  environment: Environment,
): Promise<void> {
  await page.getByLabel('Paste a URL or fill in the parts').fill(url)
  await page.getByRole('radio', { name: environment }).check()
}

/** From the start screen to the sessions of a server. */
export async function connectTo(
  page: Page,
  { url, password, environment }: { url: string; password: string; environment: Environment },
): Promise<void> {
  await fillConnection(page, url, environment)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await answerPassword(page, password)
  await expect(page.getByText(/counts as of .* complete/)).toBeVisible()
}

type Errors = Pick<App, 'pageErrors'>

/** A browser logs each answer that is an error, expected or not. */
export function dropAnswers(app: Errors, statuses: readonly number[]): void {
  drop(app, new RegExp(`status of (?:${statuses.join('|')}) `))
}

/** And each call that could not be made. */
export function dropLostCalls(app: Errors): void {
  drop(
    app,
    /net::ERR_(?:INCOMPLETE_CHUNKED_ENCODING|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)/,
  )
}

function drop({ pageErrors }: Errors, expected: RegExp): void {
  const others = pageErrors.splice(0).filter((text) => !expected.test(text))
  pageErrors.push(...others)
}
