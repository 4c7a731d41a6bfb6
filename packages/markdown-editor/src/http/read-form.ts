import { mediaMarkdown } from '@quillgate/markdown-editor-element/contract'
import { invalidRequest, isQuillgateError } from '@quillgate/server/core'
import {
  bodies,
  csrfTokenFrom,
  type MultipartFile,
  type RequestContext,
} from '@quillgate/server/http'
import { editorError, FormError, logUnexpected } from '../errors.ts'
import { MAX_TEXT_SIZE } from '../media/finalize.ts'
import type { EditorUser } from '../media/ledger/principal.ts'
import { limitSize } from '../media/upload/limit-size.ts'
import { type ReceivedUpload, receiveUpload } from '../media/upload/receive-upload.ts'
import type { UploadServices } from '../media/upload/upload-services.ts'
import { FILES_SUFFIX } from '../widget/file-input.ts'
import type { EditorAccess } from './access.ts'

type Body = Awaited<ReturnType<ReturnType<typeof bodies.multipart>['open']>>

/** The Markdown for the files of a field is added to its `value`. */
interface Field {
  readonly name: string
  value: string
}

const MAX_FILES = 10
const MAX_FIELDS = 1000
/** Maximum length of all names and values, doubled because forms send a line feed as CR LF. */
const MAX_FIELDS_SIZE = 2 * MAX_TEXT_SIZE
/** Maximum length of all names and values if the sender is rejected. */
const MAX_REJECTED_SIZE = 64 * 1024
/** Maximum size of all headers and boundaries of a form, in bytes. */
const MAX_OVERHEAD = 1024 * 1024

/**
 * Implements `MarkdownEditor.readForm`. A file input has the name of its text field, followed by
 * `-files`. If the name is repeated, the last such field before the file is used.
 */
export async function readForm(
  access: EditorAccess,
  media: UploadServices,
  context: RequestContext,
): Promise<URLSearchParams> {
  const form = new Form(access, media, context)
  try {
    await form.read()
    return form.fields
  } catch (error) {
    // An error with the status 500 is a mistake in the application. Visitors must not see its
    // detail.
    if (!isQuillgateError(error) || error.status === 500) throw error
    if (error.status > 500) logUnexpected(media.logger, error)
    throw new FormError(error, form.fields)
  } finally {
    await form.close()
  }
}

class Form {
  readonly #access: EditorAccess
  readonly #media: UploadServices
  readonly #context: RequestContext
  readonly #fields: Field[] = []
  readonly #files: { readonly field: Field; readonly upload: ReceivedUpload }[] = []
  #body: Body | null = null
  #size = 0

  constructor(access: EditorAccess, media: UploadServices, context: RequestContext) {
    this.#access = access
    this.#media = media
    this.#context = context
  }

  get fields(): URLSearchParams {
    const fields = new URLSearchParams()
    for (const { name, value } of this.#fields) fields.append(name, value)
    return fields
  }

  /**
   * Also reads the fields after a rejected file, so that no typed text is lost. Stops if the user
   * must sign in.
   */
  async read(): Promise<void> {
    const user = await this.#authorize()
    let failure: unknown
    try {
      for await (const part of await this.#open(MAX_FIELDS_SIZE).read()) {
        if (part.kind === 'field') this.#addField(part, MAX_FIELDS_SIZE)
        // For an empty file input, a browser sends an empty file name.
        else if (failure === undefined && part.filename !== '')
          failure = await this.#receive(part, user).catch((error: unknown) => error)
        if (isQuillgateError(failure) && failure.code === 'authentication_required') break
      }
    } catch (error) {
      failure ??= error
    }
    if (failure !== undefined) throw failure
    await this.#accept()
  }

  async close(): Promise<void> {
    await Promise.all(this.#files.splice(0).map(({ upload }) => upload.discard()))
    await this.#body?.close?.()
  }

  #open(maxFieldSize: number): Body {
    const { maxUploadSize } = this.#media.settings
    const maxSize = MAX_FILES * maxUploadSize + MAX_FIELDS_SIZE + MAX_OVERHEAD
    const kind = bodies.multipart({
      schema: {},
      // `#receive` rejects large files. If the parser rejected them, later fields would not be
      // read.
      maxFileSize: maxSize,
      maxFiles: MAX_FILES,
      maxFields: MAX_FIELDS,
      ...{ maxFieldSize, maxSize },
    })
    this.#body ??= kind.open(this.#context.request)
    return this.#body
  }

  async #authorize(): Promise<EditorUser | null> {
    const { request } = this.#context
    const access = this.#access.userOrSession('send this form')
    const readToken = async (): Promise<string | null> =>
      csrfTokenFrom(request) ?? (await this.#open(MAX_FIELDS_SIZE).csrfToken?.()) ?? null
    try {
      const user = await access.authenticate(this.#context)
      await access.verifyCsrf?.(this.#context, user, readToken)
      return user
    } catch (error) {
      const isOurs = this.#access.isOwnPage(this.#context)
      // Ignores errors while reading, because the first error is thrown.
      if (isOurs && isQuillgateError(error)) await this.#readRejected().catch(() => {})
      throw error
    }
  }

  async #readRejected(): Promise<void> {
    for await (const part of await this.#open(MAX_REJECTED_SIZE).read()) {
      if (part.kind === 'field') this.#addField(part, MAX_REJECTED_SIZE)
      else if (part.filename !== '') return
    }
  }

  async #receive(file: MultipartFile, user: EditorUser | null): Promise<void> {
    const name = file.name.endsWith(FILES_SUFFIX) ? file.name.slice(0, -FILES_SUFFIX.length) : null
    const field = this.#fields.findLast((each) => each.name === name)
    if (!field)
      throw invalidRequest(
        `The file input "${file.name}" belongs to no text field that was sent before it. ` +
          `For example, send "body" before "body${FILES_SUFFIX}". Put other file inputs into another form.`,
      )
    await this.#access.consumeRate('upload', this.#context, user)
    const principal = this.#access.principalOf(this.#context, user)
    const body = limitSize(file.body, this.#media.settings.maxUploadSize)
    try {
      const upload = await receiveUpload(this.#media, { ...file, body }, principal)
      this.#files.push({ field, upload })
    } finally {
      await body.return() // Ends the reading, so that the rest of a rejected file can be skipped.
    }
  }

  #addField({ name, value }: Field, most: number): void {
    this.#size += name.length + value.length
    if (this.#size > most)
      throw editorError('text_too_large', `The form has more than ${most} characters. Shorten it.`)
    this.#fields.push({ name, value })
  }

  /** Accepts the files after the whole form, so that an incomplete form stores no files. */
  async #accept(): Promise<void> {
    const added: { field: Field; markdown: string }[] = []
    for (let file = this.#files.shift(); file !== undefined; file = this.#files.shift())
      added.push({ field: file.field, markdown: mediaMarkdown(await file.upload.accept()) })
    for (const { field, markdown } of added) {
      const text = field.value.trimEnd()
      field.value = `${text === '' ? '' : `${text}\n\n`}${markdown}\n`
    }
  }
}
