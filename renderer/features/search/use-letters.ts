import { useFacts } from '../../api/use-facts.ts'

/** Which letters this database takes for the same where case is not matched. */
export function useLetters(): string {
  const dialect = useFacts().data?.dialect
  return dialect === 'postgres'
    ? 'Large and small letters are the same, as the locale of this database has it.'
    : 'A–Z and a–z are the same; other letters, like É and é, are not.'
}
