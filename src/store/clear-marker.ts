/** The event type of a clear marker in a database that has no marker to learn it from. */
export const CLEAR_EVENT_TYPE = 'a2.session.cleared'
