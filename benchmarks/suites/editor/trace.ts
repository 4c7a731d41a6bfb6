/** The results of a Chromium trace of typing. */
export interface Trace {
  /** The times from a keystroke to the frame that shows it, in ms. */
  readonly latencies: readonly number[]
  /** CPU time of the longest task of the page's main thread, in ms. */
  readonly longestTask: number
  /**
   * CPU time of the longest run of one of the editor's scripts, in ms. Includes the layouts that
   * the script forces.
   */
  readonly longestRun: number
}

export const categories: readonly string[] = [
  'input.scrolling', // EventLatency
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
]

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** The start in µs. */
  readonly ts: number
  /** CPU time of the thread in µs. */
  readonly tdur?: number
  readonly id2?: { readonly local?: string }
  readonly args: {
    readonly name?: string
    readonly data?: { readonly url?: string }
    readonly event_latency?: { readonly event_type?: string }
  }
}

/** Reads the result of `browser.stopTracing()` for a browser with one page. */
export function readTrace(json: Buffer): Trace {
  const { traceEvents: events } = JSON.parse(json.toString()) as {
    readonly traceEvents: readonly TraceEvent[]
  }
  const mainThreads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  )
  const ofPage = events.filter((event) => mainThreads.has(threadOf(event)))
  return {
    latencies: latenciesOf(events),
    longestTask: longest(ofPage.filter(({ name }) => name === 'RunTask')),
    longestRun: longest(ofPage.filter(({ args }) => args.data?.url?.includes('/assets/') === true)),
  }
}

// Each keystroke has two events with the same id. Later keystrokes reuse the id.
function latenciesOf(events: readonly TraceEvent[]): number[] {
  const started = new Map<string, number>()
  const latencies: number[] = []
  for (const { ph, pid, ts, id2, args } of events.filter(({ name }) => name === 'EventLatency')) {
    const key = `${pid} ${id2?.local}`
    const start = started.get(key)
    if (ph === 'b' && args.event_latency?.event_type === 'KEY_PRESSED') {
      started.set(key, ts)
    } else if (ph === 'e' && start !== undefined) {
      latencies.push((ts - start) / 1000)
      started.delete(key)
    }
  }
  return latencies
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`
}

function longest(events: readonly TraceEvent[]): number {
  return events.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1000), 0)
}
