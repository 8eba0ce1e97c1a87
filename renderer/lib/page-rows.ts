/** Rows of a long list that are read at once. */
export const PAGE_ROWS = 50
