/**
 * Removes characters from a text as long as `fails` returns true for the rest. The algorithm is
 * delta debugging, see https://www.st.cs.uni-saarland.de/papers/tse2002/
 */
export function shrink(text: string, fails: (candidate: string) => boolean): string {
  let shortest = text
  for (let size = Math.ceil(shortest.length / 2); size >= 1; ) {
    const shorter = withoutPieces(shortest, size, fails)
    if (size === 1 && shorter === shortest) break
    shortest = shorter
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return shortest
}

function withoutPieces(text: string, size: number, fails: (candidate: string) => boolean): string {
  let shortest = text
  for (let start = 0; start < shortest.length; ) {
    const candidate = shortest.slice(0, start) + shortest.slice(start + size)
    if (fails(candidate)) shortest = candidate
    else start += size
  }
  return shortest
}
