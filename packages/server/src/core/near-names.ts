/**
 * Returns up to three known names that resemble a name, the most similar first. Case and
 * punctuation are ignored, so `TEMP_UPLOAD_PATH` resembles `tempUploadPath`.
 */
export function nearNames(name: string, known: readonly string[]): string[] {
  const wanted = plain(name)
  return known
    .map((candidate) => ({ candidate, distance: distanceBetween(wanted, plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, plain(candidate).length / 4))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** Returns a hint with the similar names, or all names if none is similar. It ends without ".". */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearNames(name, known)
  return near.length > 0
    ? `Perhaps ${near.join(' or ')} is meant`
    : `Known names are ${known.join(', ')}`
}

function plain(name: string): string {
  return name
    .slice(0, 64)
    .replaceAll(/[^a-z0-9]/gi, '')
    .toLowerCase()
}

/** Returns the Levenshtein distance. */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
