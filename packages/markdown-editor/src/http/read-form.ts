import { mediaMarkdown } from '@quillgate/markdown-editor-element/contract'
import { invalidRequest, isQuillgateError, serverError } from '@quillgate/server/core'
import { bodies, type MultipartFile, parseRate, type RequestContext } from '@quillgate/server/http'
import { editorError, FormError } from '../errors.ts'
import { MAX_TEXT_SIZE } from '../media/finalize.ts'
import type { EditorUser } from '../media/ledger/principal.ts'
import type { ReceivedUpload } from '../media/upload/uploads.ts'
import { FILES_SUFFIX } from '../widget/file-input.ts'
import { consumeRate, principalOf, type RouteDependencies, userOrSession } from './access.ts'

type Body = Awaited<ReturnType<ReturnType<typeof bodies.multipart>['open']>>

interface ReceivedFile {
  /** The name of the field whose text gets the file. */
  readonly field: string
  readonly upload: ReceivedUpload
}

// Browsers send a line feed as two bytes.
const MAX_FIELDS_SIZE = 2 * MAX_TEXT_SIZE

/**
 * Reads a form with the files of widgets. The request passes the checks of the upload endpoint, and
 * each file takes the same way. The Markdown of a file goes to the end of its field's text.
 *
 * @throws FormError with the fields that were sent, for a request or a file that is refused
 */
export async function readForm(
  deps: RouteDependencies,
  context: RequestContext,
): Promise<URLSearchParams> {
  await deps.ready()
  const body = openForm(deps, context)
  const form = new Form(deps, context)
  try {
    await form.read(body)
    return form.fields
  } catch (error) {
    throw isQuillgateError(error) ? new FormError(error, form.fields) : error
  } finally {
    await form.discardFiles()
    await body.close?.()
  }
}

function openForm({ settings }: RouteDependencies, { request }: RequestContext): Body {
  const kind = bodies.multipart({
    schema: {},
    csrfField: 'csrf_token',
    notAForm: () => serverError('unsupported_media_type', 'Send the form as multipart/form-data.'),
    maxFileSize: settings.maxUploadSize,
    maxFieldSize: MAX_FIELDS_SIZE,
  })
  return kind.open(request)
}

class Form {
  readonly fields: URLSearchParams = new URLSearchParams()
  readonly #deps: RouteDependencies
  readonly #context: RequestContext
  readonly #files: ReceivedFile[] = []
  #size = 0

  constructor(deps: RouteDependencies, context: RequestContext) {
    this.#deps = deps
    this.#context = context
  }

  /** Reads the form. After a refusal it still reads the fields, so that no typed text is lost. */
  async read(body: Body): Promise<void> {
    let refusal: unknown = null
    const refuse = (error: unknown): null => {
      refusal ??= error
      return null
    }
    const user = await this.#authorize(body).catch(refuse)
    for await (const part of await body.read()) {
      if (part.kind === 'field') this.#addField(part.name, part.value)
      // A browser sends an empty name for a file input without a choice.
      else if (refusal === null && part.filename !== '')
        await this.#receive(part, user).catch(refuse)
    }
    if (refusal !== null) throw refusal
    // The form was read to its end: only now is it known to be whole.
    for (let file = this.#files.shift(); file !== undefined; file = this.#files.shift())
      this.#append(file.field, mediaMarkdown(await file.upload.accept()))
  }

  /** Removes the files that were not accepted. Never rejects. */
  async discardFiles(): Promise<void> {
    await Promise.all(this.#files.splice(0).map(({ upload }) => upload.discard()))
  }

  async #authorize(body: Body): Promise<EditorUser | null> {
    const access = userOrSession(this.#deps, 'send this form')
    const user = await access.authenticate(this.#context)
    const readToken = async (): Promise<string | null> => (await body.csrfToken?.()) ?? null
    await access.verifyCsrf?.(this.#context, user, readToken)
    return user
  }

  async #receive(file: MultipartFile, user: EditorUser | null): Promise<void> {
    const field = file.name.endsWith(FILES_SUFFIX) ? file.name.slice(0, -FILES_SUFFIX.length) : ''
    if (!this.fields.has(field))
      throw invalidRequest(`A file came in "${file.name}", which belongs to no field before it.`)
    const { settings, uploads } = this.#deps
    const rate = parseRate(settings.uploadRateLimit)
    await consumeRate(this.#deps, 'upload', rate, this.#context, user)
    const principal = principalOf(this.#deps, this.#context, user)
    this.#files.push({ field, upload: await uploads.receive(file, principal) })
  }

  #addField(name: string, value: string): void {
    this.#size += value.length
    if (this.#size > MAX_FIELDS_SIZE)
      throw editorError('text_too_large', `The form has more than ${MAX_FIELDS_SIZE} characters.`)
    this.fields.append(name, value)
  }

  #append(field: string, markdown: string): void {
    const text = (this.fields.get(field) ?? '').trimEnd()
    this.fields.set(field, `${text === '' ? '' : `${text}\n\n`}${markdown}\n`)
  }
}
