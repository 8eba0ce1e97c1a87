import { contextBridge, ipcRenderer, webUtils } from 'electron'

// A port cannot cross the context bridge; a message of the page's own window can carry it.
ipcRenderer.on('a2:port', (event, { target }: { target: string }) => {
  window.postMessage({ type: 'a2:port', target }, location.origin, event.ports)
})

contextBridge.exposeInMainWorld('a2', {
  connect: (target: string) => ipcRenderer.send('a2:connect', target),
  check: (target: string) => ipcRenderer.send('a2:check', target),
  pathForFile: (file: File) => webUtils.getPathForFile(file),
  onCommand: (run: (command: string) => void) => {
    ipcRenderer.on('a2:command', (_, command: string) => run(command))
  },
})
