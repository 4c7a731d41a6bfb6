import type { RequestDetail } from './requests/announce-request.ts'
import type { UploadEvents } from './upload-events.ts'

/** The events of a `<markdown-editor>`; all of them bubble. */
export interface MarkdownEditorElementEventMap extends HTMLElementEventMap, UploadEvents {
  /**
   * The editor was built or restarted. Sent after the script that inserted the element; see also
   * the property `ready`.
   */
  readonly ready: CustomEvent<null>
  /** Sent before each request. Listeners can add headers, or prevent the default to cancel it. */
  readonly request: CustomEvent<RequestDetail>
}

type EventMap = MarkdownEditorElementEventMap

/** An element with typed events. */
export interface EventfulElement extends HTMLElement {
  addEventListener<Type extends keyof EventMap>(
    type: Type,
    listener: (this: this, event: EventMap[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
  removeEventListener<Type extends keyof EventMap>(
    type: Type,
    listener: (this: this, event: EventMap[Type]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void
}

// On a server there are no elements, but the class can be imported.
const Present = globalThis.HTMLElement ?? class {}

/** The base class of `<markdown-editor>`. On a server it is an empty class. */
export const Base: new () => EventfulElement = Present as new () => EventfulElement
