// Increase it with each change after which the HTML of a text may differ.
const rendererVersion = 1

/**
 * Returns the version of a renderer: the version of this module, and a hash of the options'
 * fingerprint.
 */
export function versionOf(fingerprint: string): string {
  return `${rendererVersion}-${hash(fingerprint)}`
}

// FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). It is not used for security.
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return (value >>> 0).toString(16).padStart(8, '0')
}
