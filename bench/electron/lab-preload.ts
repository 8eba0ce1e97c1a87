import { contextBridge, ipcRenderer } from 'electron'

contextBridge.exposeInMainWorld('lab', {
  page: (input: unknown) => ipcRenderer.invoke('page', input),
})
