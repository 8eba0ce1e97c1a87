import { ipcMain } from 'electron'
import type { IpcMainEvent, WebContents } from 'electron'

import { isOurs } from './app-address.ts'

/**
 * The only door from a page into the main process. Messages from a frame that is not the top one, from a page
 * that is not ours, or that do not read as `Message` go unanswered.
 */
export function onGuarded<Message>(
  channel: string,
  read: (data: unknown) => Message | undefined,
  handle: (message: Message, sender: WebContents) => void,
): void {
  ipcMain.on(channel, (event, data: unknown) => {
    if (!isFromOurPage(event)) return
    const message = read(data)
    if (message !== undefined) handle(message, event.sender)
  })
}

function isFromOurPage({ senderFrame, sender }: IpcMainEvent): boolean {
  if (senderFrame === null || senderFrame !== sender.mainFrame) return false
  return isOurs(senderFrame.url)
}
