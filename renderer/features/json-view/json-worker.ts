import { readJsonNodes } from '../../../src/model/json-text.ts'

/** Takes a text, answers its nodes with their memory handed over, and is done. */
self.addEventListener('message', (event: MessageEvent<string>) => {
  const nodes = readJsonNodes(event.data)
  self.postMessage(nodes, {
    transfer: [
      nodes.kind.buffer,
      nodes.start.buffer,
      nodes.end.buffer,
      nodes.parent.buffer,
      nodes.next.buffer,
      nodes.count.buffer,
      nodes.keyStart.buffer,
    ],
  })
})
