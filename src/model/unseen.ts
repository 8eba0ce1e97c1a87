/**
 * A class for regular expressions with the flags `gu`: what cannot be seen in a text, or changes the order of what is
 * seen. Spaces are of it; of the letters, those that are drawn as nothing.
 */
export const UNSEEN = String.raw`[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]`

export function hasUnseen(text: string): boolean {
  return new RegExp(UNSEEN, 'u').test(text)
}
