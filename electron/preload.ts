import { contextBridge, ipcRenderer, webUtils } from 'electron'

/** Ports asked for while the page was still being loaded: null until they are there. */
const early = new Map<string, readonly MessagePort[] | null>()

function askEarly(target: string): void {
  early.set(target, null)
  ipcRenderer.send('a2:connect', target)
}

/** A port cannot cross the context bridge; a message of the page's own window can carry it. */
function hand(target: string, ports: readonly MessagePort[]): void {
  window.postMessage({ type: 'a2:port', target }, location.origin, [...ports])
}

ipcRenderer.on('a2:port', (event, { target }: { target: string }) => {
  if (early.has(target)) early.set(target, event.ports)
  else hand(target, event.ports)
})

contextBridge.exposeInMainWorld('a2', {
  connect: (target: string) => {
    const ports = early.get(target)
    early.delete(target)
    if (ports === undefined) ipcRenderer.send('a2:connect', target)
    // One that is under way is handed over when it comes.
    else if (ports !== null) hand(target, ports)
  },
  check: (target: string) => ipcRenderer.send('a2:check', target),
  pathForFile: (file: File) => webUtils.getPathForFile(file),
  onCommand: (run: (command: string) => void) => {
    ipcRenderer.on('a2:command', (_, command: string) => run(command))
  },
})

const [, databaseId] = /^\/d\/([\w-]{1,64})(?:\/|$)/.exec(location.pathname) ?? []
askEarly('host')
if (databaseId !== undefined) askEarly(`db:${databaseId}`)
