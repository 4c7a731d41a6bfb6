// So many are asked for at the most.
const MAX_FILES = 50

/** A temporary file of a text that the server no longer has. */
export interface DeadFile {
  readonly url: string
  readonly name: string
}

/**
 * The distinct URLs of temporary files in a text.
 *
 * @param prefix the start of these URLs; `''` if it is unknown
 */
export function temporaryUrls(text: string, prefix: string): string[] {
  if (prefix === '') return []
  const urls = new Set<string>()
  const address = /[^\s"'<>()[\]\\`]{1,2000}/y
  for (let at = text.indexOf(prefix); at !== -1; at = text.indexOf(prefix, at)) {
    address.lastIndex = at
    const url = address.exec(text)?.[0] ?? ''
    if (url.length > prefix.length) urls.add(url)
    at += Math.max(url.length, prefix.length)
  }
  return [...urls]
}

/** The temporary files of a text that the server says it does not have. Files of other servers are not asked for. */
export async function findDeadFiles(
  text: string,
  prefix: string,
  signal: AbortSignal,
): Promise<DeadFile[]> {
  const urls = temporaryUrls(text, prefix).slice(0, MAX_FILES)
  const checked = await Promise.all(urls.map((url) => isDead(url, prefix, signal)))
  return urls.filter((_, index) => checked[index]).map((url) => ({ url, name: nameOf(url) }))
}

async function isDead(url: string, prefix: string, signal: AbortSignal): Promise<boolean> {
  const { href, origin } = new URL(url, document.baseURI)
  // Dots in the path may lead elsewhere.
  if (origin !== location.origin || !href.startsWith(new URL(prefix, document.baseURI).href))
    return false
  try {
    const { status } = await fetch(href, { method: 'HEAD', cache: 'no-store', signal })
    return status === 404 || status === 410
  } catch {
    return false // Nobody knows.
  }
}

function nameOf(url: string): string {
  const name = url.slice(url.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
