import { useState } from 'react'

import type { TextPart } from '../../../src/model/event.ts'
import { placeOf } from '../../../src/model/json-text-print.ts'
import type { JsonDocument } from '../../../src/model/json-text.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { ToggleTag } from '../../ui/chip.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorState, Spinner } from '../../ui/states.tsx'
import { JsonRaw } from './json-raw.tsx'
import { JsonTree } from './json-tree.tsx'
import './json-view.css'
import { useJsonDocument } from './use-json-document.ts'
import { useTextParts } from './use-text-parts.ts'
import type { LoadedText } from './use-text-parts.ts'

interface JsonViewProps {
  /** `Payload`, `State`. */
  readonly title: string
  /** The beginning of the text, often all of it. */
  readonly first: TextPart
  /** Loads the part that begins at an offset; must not change from render to render. */
  readonly load: (offsetBytes: number) => Promise<TextPart>
  /** `fit`: as high as its content up to half the window; `fill`: as high as what it stands in. */
  readonly size: 'fit' | 'fill'
}

/** A stored JSON text, lossless: as a tree and as it is stored. Give it a key that changes with the text's place. */
export function JsonView({ title, first, load, size }: JsonViewProps) {
  const loaded = useTextParts(first, load)
  const [tab, setTab] = useState<'tree' | 'raw'>('tree')
  const document = useJsonDocument(loaded.text)
  const { storage, totalBytes } = loaded
  return (
    <div className="json-view" data-part={!loaded.isComplete} data-size={size}>
      <div className="json-head">
        <h4>
          {title} ·{' '}
          <span title={`${formatCount(totalBytes)} bytes`}>{formatBytes(totalBytes)}</span>
        </h4>
        {storage !== 'null' && (
          <>
            <ToggleTag isOn={tab === 'tree'} onClick={() => setTab('tree')}>
              Tree
            </ToggleTag>
            <ToggleTag isOn={tab === 'raw'} onClick={() => setTab('raw')}>
              Raw
            </ToggleTag>
            <CopyButton
              label={loaded.isComplete ? 'Copy as stored' : 'Copy what is loaded'}
              text={loaded.text}
            />
          </>
        )}
      </div>
      <Notes document={document} loaded={loaded} />
      {storage === 'null' ? (
        <p className="json-note">The column is NULL.</p>
      ) : (
        <Body
          document={document}
          isFilling={size === 'fill'}
          tab={tab}
          text={loaded.text}
          title={title}
        />
      )}
    </div>
  )
}

function Body(props: {
  readonly tab: 'tree' | 'raw'
  readonly text: string
  readonly document: JsonDocument | null
  readonly title: string
  readonly isFilling: boolean
}) {
  const { tab, text, document, title } = props
  if (text === '') return <p className="json-note">The text is empty.</p>
  if (tab === 'raw') return <JsonRaw label={`${title}, as stored`} text={text} />
  if (document === null) {
    return (
      <p className="json-note">
        <Spinner /> Reading its structure…
      </p>
    )
  }
  if (document.size === 0) return <JsonRaw label={`${title}, as stored`} text={text} />
  return (
    <JsonTree
      budget={props.isFilling ? 400 : 120}
      deepest={props.isFilling ? 24 : 9}
      document={document}
      label={`${title} tree`}
    />
  )
}

function Notes({
  loaded,
  document,
}: {
  readonly loaded: LoadedText
  readonly document: JsonDocument | null
}) {
  const { storage } = loaded
  return (
    <>
      {storage !== 'text' && storage !== 'null' && (
        <p className="json-note">{`Stored as ${storage}, not as text.`}</p>
      )}
      {loaded.hasInvalidUtf8 && (
        <p className="json-note">Some bytes are not UTF-8: � stands in their place.</p>
      )}
      {loaded.isComplete && document !== null && <Problem document={document} />}
      {!loaded.isComplete && <LoadMore loaded={loaded} />}
      {loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.loadAll} />}
    </>
  )
}

function Problem({ document }: { readonly document: JsonDocument }) {
  const { problem, text } = document
  if (problem === null || text === '') return null
  const { line, column } = placeOf(text, problem.offset)
  const place = text.includes('\n') ? `line ${line}, column ${column}` : `character ${column}`
  return (
    <p className="json-note" data-tone="bad">
      {`Not valid JSON, ${place}: ${problem.message}.`}
      {document.size > 0 && ' The tree shows what stands before; Raw shows all.'}
    </p>
  )
}

function LoadMore({ loaded }: { readonly loaded: LoadedText }) {
  const { loadedBytes, totalBytes } = loaded
  if (loaded.isLoading) {
    return (
      <div className="json-note json-loading">
        <progress aria-label="Loading" max={totalBytes} value={loadedBytes} />
        <span className="num">{`${formatBytes(loadedBytes)} of ${formatBytes(totalBytes)}`}</span>
        <Button onClick={loaded.stop} size="small">
          Stop
        </Button>
      </div>
    )
  }
  return (
    <div className="json-note json-loading">
      <span>{`Showing the first ${formatBytes(loadedBytes)}.`}</span>
      <Button onClick={loaded.loadAll} size="small">
        {`Load all ${formatBytes(totalBytes)}`}
      </Button>
    </div>
  )
}
