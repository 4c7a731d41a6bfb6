/** How far the parser of a form is. */
export interface ParserFeed {
  /** How many pieces of the body it was given. */
  pieces: number
  /** True while the next bytes are the client's to send: it may take its time. */
  awaitsClient: boolean
}

const INTERVAL = 1000

/**
 * Waits for something that only the parser can give, and gives up when it neither gives it nor takes more of the body:
 * between two looks, a second apart, all that was asked of it is long done.
 *
 * @param onStall called when the parser does nothing any more; it must make the promise settle
 */
export async function watchParser<T>(feed: ParserFeed, promise: Promise<T>, onStall: () => void): Promise<T> {
  let seen = -1
  const timer = setInterval(() => {
    if (feed.pieces === seen && !feed.awaitsClient) onStall()
    seen = feed.awaitsClient ? -1 : feed.pieces
  }, INTERVAL)
  try {
    return await promise
  } finally {
    clearInterval(timer)
  }
}
