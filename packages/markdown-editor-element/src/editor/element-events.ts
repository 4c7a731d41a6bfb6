import type { RequestDetail } from './requests.ts'

/** The events of `<markdown-editor>`. All events of the editor bubble. */
export interface MarkdownEditorElementEventMap extends HTMLElementEventMap, UploadEvents {
  /**
   * The editor was built or restarted. Sent after the script that inserted the element has ended.
   * See also the property `ready`.
   */
  readonly ready: CustomEvent<null>
  /** Sent before each request. Listeners can add headers, or call `preventDefault` to cancel. */
  readonly request: CustomEvent<RequestDetail>
}

type EventMap = MarkdownEditorElementEventMap

interface TypedListeners {
  addEventListener<Type extends keyof EventMap>(
    type: Type,
    listener: (this: this, event: EventMap[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  removeEventListener<Type extends keyof EventMap>(
    type: Type,
    listener: (this: this, event: EventMap[Type]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void
}

// A server has no `HTMLElement`, but must be able to import the class.
const Present = globalThis.HTMLElement ?? class {}

/** The base class of `<markdown-editor>`. On a server it is an empty class. */
export const Base: new () => TypedListeners & HTMLElement = Present as typeof Base

/** Detail of the events `upload-start` and `upload-abort`. */
export interface UploadDetail {
  /** All events of an upload have the same file object. */
  readonly file: File
}

/** Detail of the event `upload-success`. */
export interface UploadSuccessDetail extends UploadDetail {
  /** The URL of the file. It is temporary until the text is finalized. */
  readonly url: string
  readonly name: string
  /** The media type that the server detected. */
  readonly type: string
}

/** Detail of the event `upload-error`. */
export interface UploadErrorDetail extends UploadDetail {
  /** The message for the user, in the editor's language. */
  readonly message: string
  /** True if the placeholder stays and the user can retry, which sends a new `upload-start`. */
  readonly canRetry: boolean
}

/** The events of uploads by name. */
export interface UploadEvents {
  /** A file is being sent; at most three are sent at once. One of the other events follows. */
  readonly 'upload-start': CustomEvent<UploadDetail>
  /** The file is stored. Its Markdown is in the text, unless the placeholder had been removed. */
  readonly 'upload-success': CustomEvent<UploadSuccessDetail>
  /** The file was rejected, or could not be sent or inserted. */
  readonly 'upload-error': CustomEvent<UploadErrorDetail>
  /** The upload was stopped by the user, by the page, or because the editor ended. */
  readonly 'upload-abort': CustomEvent<UploadDetail>
}
