/** Columns of a2_events that another version of the library may name otherwise. */
export interface OptionalColumns {
  readonly hasLastError: boolean
  readonly hasReturnedEventIds: boolean
}
