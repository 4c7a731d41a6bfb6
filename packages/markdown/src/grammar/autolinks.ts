const addressPattern = /<[a-z][a-z0-9.+-]{1,31}:[^\0-\x20\x7f<>]*>/iy
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const emailPattern = new RegExp(`<[a-z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*>`, 'iy')

/** Position after the autolink to a URL at `from`, `<https://…>`; -1 when there is none. */
export function autolinkEnd(text: string, from: number): number {
  return matchEnd(addressPattern, text, from)
}

/** Position after the autolink to a mail address at `from`; -1 when there is none. */
export function emailAutolinkEnd(text: string, from: number): number {
  return matchEnd(emailPattern, text, from)
}

function matchEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}
