/** Something outside of us stands in the way; the message is a line for the person. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}
