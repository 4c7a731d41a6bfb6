const autolink = /<[a-z][a-z0-9.+-]{1,31}:[^\0-\x20\x7f<>]*>/iy

/** Returns the position after the autolink to a URL at `from`, `<https://…>`; -1 if there is none. */
export function autolinkEnd(text: string, from: number): number {
  autolink.lastIndex = from
  return autolink.test(text) ? autolink.lastIndex : -1
}
