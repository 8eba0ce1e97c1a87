const PARAMETERS = /(?<=[?&])(?:ssl)?password=[^&]*&?/gi
const PAIRS = /(?:^|(?<=\s))(?:ssl)?password\s*=\s*(?:'(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)*)\s*/gis

/** A connection text that could be read, with its secrets cut out and the rest left as it was typed. */
export function withoutPassword(text: string): string {
  const url = /^(\s*postgres(?:ql)?:\/\/)([^/?]*)(.*)$/s.exec(text)
  if (url === null) return text.replaceAll(PAIRS, '')
  const [, scheme = '', authority = '', rest = ''] = url
  const at = authority.indexOf('@')
  const user = authority.slice(0, at).split(':', 1)[0] ?? ''
  const place = at < 0 ? authority : `${user}${authority.slice(at)}`
  return `${scheme}${place}${rest.replaceAll(PARAMETERS, '').replace(/[?&]$/, '')}`
}
