// To be raised with each change after which a text may give other HTML.
const rendererVersion = 1

/**
 * Names what the HTML of a renderer depends on: this module's own version and the options.
 *
 * @param fingerprint - tells the options apart
 */
export function versionOf(fingerprint: string): string {
  return `${rendererVersion}-${hash(fingerprint)}`
}

// FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/): it only tells settings apart.
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return (value >>> 0).toString(16).padStart(8, '0')
}
