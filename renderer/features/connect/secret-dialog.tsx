import { useRef } from 'react'

import { describeIgnoredPassfile } from '../../../src/model/describe-trouble.ts'
import type { SecretNeeded } from '../../api/errors.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import './connect.css'

const NAMES = { password: 'Password', 'key-passphrase': 'Passphrase of the client key' } as const

interface SecretDialogProps {
  readonly question: SecretNeeded
  readonly isStored: boolean
  readonly isPending: boolean
  /** The secret is read from the field once, and the field is emptied in the same moment. */
  readonly onAnswer: (secret: string) => void
  readonly onClose: () => void
}

/** Asks for one secret. It is never held in the state of the page. */
export function SecretDialog(props: SecretDialogProps) {
  const { question, isStored, isPending, onAnswer, onClose } = props
  const field = useRef<HTMLInputElement>(null)
  const name = NAMES[question.purpose]
  const answer = () => {
    const input = field.current
    if (input === null || input.value === '') return
    const secret = input.value
    input.value = ''
    onAnswer(secret)
  }
  return (
    <Dialog
      description={
        question.wasRefused ? 'The one that was given did not fit.' : 'The server asks for it.'
      }
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button disabled={isPending} form="secret-form" tone="primary" type="submit">
            {isPending ? 'Connecting…' : 'Go on'}
          </Button>
        </>
      }
      initialFocus={field}
      isOpen
      onClose={onClose}
      title={name}
    >
      <form
        autoComplete="off"
        className="secret-form"
        id="secret-form"
        onSubmit={(event) => {
          event.preventDefault()
          answer()
        }}
      >
        <p className="secret-place mono isolate">{question.connection}</p>
        {question.ignoredPassfile !== undefined && (
          <p className="secret-hint isolate">
            {describeIgnoredPassfile(question.ignoredPassfile)}{' '}
            {question.ignoredPassfile.why === 'open-to-others' && 'Make it private with chmod 600.'}
          </p>
        )}
        <input
          aria-label={name}
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          className="input"
          data-1p-ignore
          ref={field}
          spellCheck={false}
          type="password"
        />
        <p className="dim">
          {isStored
            ? 'It is kept in the system keychain once the server took it.'
            : 'It is used for this connection and written nowhere.'}
        </p>
      </form>
    </Dialog>
  )
}
