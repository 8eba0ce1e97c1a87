import { isContainer, isUnfinished, NODE, rawKey, rawText } from '../../../src/model/json-text.ts'
import type { JsonDocument } from '../../../src/model/json-text.ts'
import { decodePiece, decodeString } from '../../../src/model/json-text-string.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { closingQuote, isLongString, SHORT_STRING } from './json-rows.ts'
import type { JsonRow, OpenParts } from './json-rows.ts'
import { toLines, toOneLine } from './visible-text.ts'

interface LineProps {
  readonly document: JsonDocument
  readonly row: JsonRow
  readonly open: OpenParts
}

/** What stands on one line of the tree, without its indentation. */
export function JsonLine({ document, row, open }: LineProps) {
  switch (row.kind) {
    case 'value':
      return (
        <>
          <Key document={document} node={row.node} />
          <Value document={document} isOpen={open.has(row.node)} node={row.node} />
          <Comma document={document} node={row.node} />
        </>
      )
    case 'open':
      return (
        <>
          <Key document={document} node={row.node} />
          {bracketsOf(document, row.node)[0]}
        </>
      )
    case 'close':
      return (
        <>
          {bracketsOf(document, row.node)[1]}
          <Comma document={document} node={row.node} />
        </>
      )
    case 'group':
      return (
        <span className="json-null">
          [{formatCount(row.from)} … {formatCount(row.to)}]
        </span>
      )
    case 'rest':
      return <Rest document={document} />
    case 'text':
    default:
      return <TextPiece at={row.at} document={document} end={row.end} />
  }
}

const REST = 160

function Rest({ document }: { readonly document: JsonDocument }) {
  const { text, rest } = document
  return (
    <span className="json-rest isolate">
      {toOneLine(text.slice(rest, rest + REST).trim())}
      {rest + REST < text.length ? '…' : ' …'}
    </span>
  )
}

function bracketsOf(document: JsonDocument, node: number): readonly [string, string] {
  return document.kind[node] === NODE.object ? ['{', '}'] : ['[', ']']
}

function Comma({ document, node }: { readonly document: JsonDocument; readonly node: number }) {
  return (document.next[node] ?? -1) >= 0 ? ',' : null
}

function Key({ document, node }: { readonly document: JsonDocument; readonly node: number }) {
  const raw = rawKey(document, node)
  if (raw === null) return null
  const name = toOneLine(decodeString(raw))
  return (
    <>
      <span className="json-key isolate">
        "{name.length > 400 ? `${name.slice(0, 400)}…` : name}"
      </span>
      {': '}
    </>
  )
}

const CLASS_OF: Readonly<Record<number, string>> = {
  [NODE.number]: 'json-number',
  [NODE.true]: 'json-word',
  [NODE.false]: 'json-word',
  [NODE.null]: 'json-null',
}

function Value({
  document,
  node,
  isOpen,
}: {
  readonly document: JsonDocument
  readonly node: number
  readonly isOpen: boolean
}) {
  if (isContainer(document, node)) return <Closed document={document} node={node} />
  if (document.kind[node] === NODE.string) {
    return <StringValue document={document} isOpen={isOpen} node={node} />
  }
  const raw = rawText(document, node)
  return (
    <span className={CLASS_OF[document.kind[node] ?? 0]}>
      {raw.length > SHORT_STRING ? `${raw.slice(0, SHORT_STRING)}…` : raw}
    </span>
  )
}

function Closed({ document, node }: { readonly document: JsonDocument; readonly node: number }) {
  const [left, right] = bracketsOf(document, node)
  const count = document.count[node] ?? 0
  const isCut = isUnfinished(document, node)
  if (count === 0 && !isCut) return `${left}${right}`
  const raw = isCut ? null : shortRaw(document, node)
  if (raw !== null) return <span className="json-short isolate">{toOneLine(raw)}</span>
  return (
    <>
      {left}
      <span className="json-more">
        {document.kind[node] === NODE.object ? plural(count, 'key') : plural(count, 'item')}
      </span>
      {isCut ? '…' : right}
    </>
  )
}

const SHORT_RAW = 72

/** A container that fits on the line it is closed on. */
function shortRaw(document: JsonDocument, node: number): string | null {
  const length = (document.end[node] ?? 0) - (document.start[node] ?? 0)
  return length > SHORT_RAW ? null : rawText(document, node)
}

function StringValue({
  document,
  node,
  isOpen,
}: {
  readonly document: JsonDocument
  readonly node: number
  readonly isOpen: boolean
}) {
  const close = closingQuote(document, node)
  const start = (document.start[node] ?? 0) + 1
  if (!isLongString(document, node)) {
    return (
      <span className="json-string isolate">
        "{toOneLine(decodePiece(document.text, start, close, SHORT_STRING * 6).text)}"
      </span>
    )
  }
  const size = formatCount(close - start)
  if (isOpen) return <span className="json-more">hide the text</span>
  const shown = decodePiece(document.text, start, close, SHORT_STRING)
  return (
    <>
      <span className="json-string isolate">
        "{toOneLine(shown.text)}
        {shown.next < close ? '…' : '"'}
      </span>{' '}
      <span className="json-more">
        {shown.next < close ? `show all ${size} characters` : 'show as text'}
      </span>
    </>
  )
}

function TextPiece({
  document,
  at,
  end,
}: {
  readonly document: JsonDocument
  readonly at: number
  readonly end: number
}) {
  const { text } = decodePiece(document.text, at, end, end - at)
  return <span className="json-string isolate">{toLines(text)}</span>
}
