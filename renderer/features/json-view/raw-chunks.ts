const CHUNK = 2_000

/**
 * Splits a text into pieces of about 2,000 characters, at line ends where there are some, never between
 * the halves of a pair. The pieces are ranges that cover the text without a gap.
 */
export function toChunks(text: string): { readonly from: number; readonly to: number }[] {
  const chunks: { from: number; to: number }[] = []
  for (let from = 0; from < text.length;) {
    const to = endOfChunk(text, from)
    chunks.push({ from, to })
    from = to
  }
  return chunks
}

function endOfChunk(text: string, from: number): number {
  const most = from + CHUNK
  if (most >= text.length) return text.length
  // Sliced first: searching the text itself would run back to its beginning, for each piece.
  const lineEnd = text.slice(from, most).lastIndexOf('\n')
  if (lineEnd >= 0) return from + lineEnd + 1
  const last = text.charCodeAt(most - 1)
  return last >= 0xd800 && last <= 0xdbff ? most - 1 : most
}
