import { whenIdle } from '../dom/idle.ts'
import type { PreviewScript } from './preview-script.ts'
import type { PreviewAnswer, PreviewRequest } from './protocol.ts'

/** Sends a request to where previews are rendered. */
export type Post = (request: PreviewRequest) => void

// When typing leaves no idle time at all, the preview still follows.
const IDLE_TIMEOUT = 300

/** Starts the script of previews, in a Worker or on the page. The signal ends it. */
export async function openChannel(
  script: PreviewScript,
  listen: (answer: PreviewAnswer) => void,
  signal: AbortSignal,
): Promise<Post> {
  const worker = await startWorker(script, signal)
  if (worker === null) return openOnPage(script, listen, signal)
  worker.addEventListener('message', ({ data }: MessageEvent<PreviewAnswer>) => listen(data))
  return (request) => worker.postMessage(request)
}

/** A Worker that has said that it is ready; null when there can be none. */
function startWorker(script: PreviewScript, signal: AbortSignal): Promise<Worker | null> {
  return new Promise((resolve, reject) => {
    let worker: Worker
    try {
      worker = script.start()
    } catch {
      return resolve(null)
    }
    const started = new AbortController()
    const once = { signal: started.signal }
    const end = (): void => {
      worker.terminate()
      reject(signal.reason)
    }
    signal.addEventListener('abort', end)
    worker.addEventListener(
      'message',
      () => {
        started.abort()
        resolve(worker)
      },
      once,
    )
    worker.addEventListener(
      'error',
      (event) => {
        event.preventDefault() // It is no fault of the page, and the page itself can do the work.
        signal.removeEventListener('abort', end)
        worker.terminate()
        resolve(null)
      },
      once,
    )
  })
}

async function openOnPage(
  script: PreviewScript,
  listen: (answer: PreviewAnswer) => void,
  signal: AbortSignal,
): Promise<Post> {
  const { default: server } = await script.load()
  if (typeof server !== 'function')
    throw new TypeError('The script of the preview has no default export.')
  return (request) =>
    whenIdle(() => {
      if (!signal.aborted) void server(request, listen)
    }, IDLE_TIMEOUT)
}
