import type { Logger } from '../../core/logger.ts'

/** Tells operators why pages that are their own are refused. */
export interface OriginLog {
  /** A good token came with another origin than the expected one. */
  refused(request: Request, expected: string): void
}

const PAUSE = 60_000 // Milliseconds: who has a token of their own could fill the log with refusals.
const MOST = 10 // Different lines per pause.

/** Creates the log. What a client sent is quoted and cut. */
export function createOriginLog(logger: Pick<Logger, 'warn'>): OriginLog {
  const told = new Set<string>()
  let since = Number.NEGATIVE_INFINITY
  return {
    refused({ headers }, expected) {
      const now = performance.now()
      if (now - since >= PAUSE) {
        told.clear()
        since = now
      }
      const origin = headers.get('origin')
      const site = headers.get('sec-fetch-site')
      const sent = origin === null ? 'no Origin' : `Origin ${quote(origin)}`
      const from = site === null ? sent : `${sent} and Sec-Fetch-Site ${quote(site)}`
      const pair = `it came with ${from}, expected is ${quote(expected)}`
      if (told.has(pair) || told.size >= MOST) return
      told.add(pair)
      const advice =
        origin === null && site === null
          ? 'A script that sends cookies must send the header Origin too.'
          : 'If the one that came is yours, set publicOrigin to it, or trustedProxies to the addresses of your proxy.'
      logger.warn(`A request with a good CSRF token was refused: ${pair}. ${advice}`)
    },
  }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}
