import { openBackgroundHalf } from '../src/inspector/open-background.ts'
import { logDefect } from '../src/shell/log-defects.ts'
import { forgetForms } from './no-form-data.ts'
import { makePortHandler } from './port-handler.ts'
import { toScanPort } from './scan-port.ts'
import { servePage, tellMain } from './serve-page.ts'
import { isToStoreProcess } from './store-messages.ts'

/** A utility process: `background-process <path>`. Runs what takes long in a file. */
function main(path: string): void {
  forgetForms()
  const background = openBackgroundHalf({ path, onDefect: logDefect })
  const handler = makePortHandler(background.router)
  process.parentPort.on('message', ({ data, ports: [port] }) => {
    if (!isToStoreProcess(data)) return
    if (data.kind === 'ping') tellMain({ kind: 'pong' })
    else if (data.kind === 'port' && port !== undefined) servePage(handler, port)
    else if (data.kind === 'scans' && port !== undefined) background.serveScans(toScanPort(port))
    else if (data.kind === 'close') {
      background.close()
      process.exit(0)
    }
  })
  tellMain({ kind: 'ready' })
}

const [, , path] = process.argv
if (path === undefined) process.exit(2)
main(path)
