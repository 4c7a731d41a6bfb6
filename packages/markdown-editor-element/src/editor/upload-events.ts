/** Detail of the events `upload-start` and `upload-abort`. */
export interface UploadDetail {
  /** The same one in all events of an upload. */
  readonly file: File
}

/** Detail of the event `upload-success`. */
export interface UploadSuccessDetail extends UploadDetail {
  /** Where the file is, as the server said: a temporary URL until the text is finalized. */
  readonly url: string
  readonly name: string
  /** Its media type, as the server found it. */
  readonly type: string
}

/** Detail of the event `upload-error`. */
export interface UploadErrorDetail extends UploadDetail {
  /** What the user has been told, in the editor's language. */
  readonly message: string
  /** True when the file keeps its place in the text, and the user can try again: a new `upload-start` follows then. */
  readonly canRetry: boolean
}

/** The events of uploads, by their names. */
export interface UploadEvents {
  /** A file is being sent: its turn has come, for three are sent at once. One of the others follows. */
  readonly 'upload-start': CustomEvent<UploadDetail>
  /** The file is stored, and in the text if its place was still there. */
  readonly 'upload-success': CustomEvent<UploadSuccessDetail>
  /** The file was refused, or could not be sent. */
  readonly 'upload-error': CustomEvent<UploadErrorDetail>
  /** The user, the page or the end of the editor has ended it; it may begin anew in another editor of the textarea. */
  readonly 'upload-abort': CustomEvent<UploadDetail>
}

/** An upload, whose file is null if only its placeholder is left. */
interface UploadedFile {
  readonly file: File | null
}

/** Tells the page of uploads. */
export class UploadTeller {
  readonly #host: HTMLElement
  /** Whose start the page has been told of, but not how it ended. */
  readonly #begun = new WeakSet<UploadedFile>()

  /** @param host where the events are sent */
  constructor(host: HTMLElement) {
    this.#host = host
  }

  /** Tells that an upload begins, once, however often it is sent; and how it ended, if it began. */
  tell<Type extends keyof UploadEvents>(
    type: Type,
    upload: UploadedFile,
    more: Omit<UploadEvents[Type]['detail'], 'file'>,
  ): void {
    const { file } = upload
    const begins = type === 'upload-start'
    if (file === null || begins === this.#begun.has(upload)) return
    if (begins) this.#begun.add(upload)
    else this.#begun.delete(upload)
    const detail = { file, ...more }
    this.#host.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }))
  }
}
