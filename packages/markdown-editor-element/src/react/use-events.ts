import { type RefObject, useEffect, useRef } from 'react'
import type {
  MarkdownEditorElement,
  MarkdownEditorElementEventMap,
  UploadEvents,
} from '../element/index.ts'

type Events = Pick<MarkdownEditorElementEventMap, 'request' | keyof UploadEvents>

/** The callback property for each event. */
type EventCallbacks = {
  readonly [Type in keyof Events]: ((event: Events[Type]) => void) | undefined
}

/** Listens to an element as long as it is mounted; always with the newest callbacks. */
export function useEvents(
  element: RefObject<MarkdownEditorElement | null>,
  callbacks: EventCallbacks,
): void {
  const latest = useLatest(callbacks)
  useEffect(() => {
    const { current } = element
    const listening = new AbortController()
    for (const type of Object.keys(latest.current) as (keyof EventCallbacks)[]) {
      const listen = (event: Event): void => latest.current[type]?.(event as never)
      current?.addEventListener(type, listen, { signal: listening.signal })
    }
    return () => listening.abort()
  }, [element, latest])
}

/**
 * Tells of each editor that an element builds, also of one that was there before anybody could
 * listen.
 */
export function useReady(
  element: RefObject<MarkdownEditorElement | null>,
  onReady: ((element: MarkdownEditorElement) => void) | undefined,
): void {
  const latest = useLatest(onReady)
  const told = useRef(false)
  useEffect(() => {
    const { current } = element
    const tell = (): void => {
      told.current = true
      if (current !== null) latest.current?.(current)
    }
    current?.addEventListener('ready', tell)
    // In strict mode effects run twice.
    if (current?.ready && !told.current) tell()
    return () => current?.removeEventListener('ready', tell)
  }, [element, latest])
}

function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}
