const endTag = /<\/[a-z][a-z0-9-]*[ \t\n\r]*>/iy
const startOfTag = /<[a-z][a-z0-9-]*/iy
const endOfTag = /[ \t\n\r]*\/?>/y

/** With the white space before it, and its value in double, single or no quotes. */
export const attributePattern: RegExp =
  /[ \t\n\r]+([a-z_:][\w.:-]*)(?:[ \t\n\r]*=[ \t\n\r]*(?:"([^"]*)"|'([^']*)'|([^ \t\n\r"'=<>`]+)))?/iy

/**
 * Returns the position after the tag whose `<` is at `from`; -1 if there is no tag. For long tags,
 * a single regular expression would exceed the backtracking limit of the engine.
 *
 * @see https://spec.commonmark.org/0.31.2/#raw-html
 */
export function tagEnd(text: string, from: number): number {
  if (text[from + 1] === '/') return matchEnd(endTag, text, from)
  let position = matchEnd(startOfTag, text, from)
  if (position === -1) return -1
  for (let next = position; next !== -1; next = matchEnd(attributePattern, text, position))
    position = next
  return matchEnd(endOfTag, text, position)
}

function matchEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}
