import { FormError, ValidationError } from '@quillgate/markdown-editor'
import { ConfigurationError, QuillgateError } from '@quillgate/server/core'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { ORIGIN, png, type TestEditor } from '../editor-fixture.ts'
import { withFormAsBytes } from '../form-bytes.ts'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

const imageFile = (name = 'photo.png'): File => new File([png()], name, { type: 'image/png' })

function formOf(...fields: [name: string, value: string | File][]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

/** The default bearer token makes a CSRF token unnecessary. */
async function requestOf(
  form: FormData | URLSearchParams,
  headers: Record<string, string> = { authorization: 'Bearer ada' },
): Promise<Request> {
  const init = await withFormAsBytes({ method: 'POST', headers, body: form })
  return new Request(`${ORIGIN}/posts`, init)
}

async function refusalOf(
  { editor, storedKeys }: TestEditor,
  form: FormData,
  headers?: Record<string, string>,
): Promise<FormError> {
  const request = await requestOf(form, headers)
  const error = await editor.readForm(request).catch((thrown: unknown) => thrown)
  if (!(error instanceof FormError)) throw error
  expect(await storedKeys()).toEqual([])
  return error
}

describe('editor.readForm', () => {
  it('appends the files to their text, and finalizing makes them permanent', async () => {
    const { editor, get } = await open()
    const fields = await editor.readForm(
      await requestOf(
        formOf(
          ['csrf_token', ''],
          ['title', 'A post'],
          ['body', 'Text'],
          ['body-files', imageFile()],
          ['body-files', new File(['a,b'], 'list.csv', { type: 'text/csv' })],
          ['notes', ''],
          ['notes-files', imageFile('other.png')],
        ),
      ),
    )
    expect(fields.get('title')).toBe('A post')
    expect(fields.get('body')).toMatch(
      /^Text\n\n!\[photo\]\(\/media\/\S+\.png\)\n\n\[list\.csv\]\(\/media\/\S+\.csv\)\n$/,
    )
    expect(fields.get('notes')).toMatch(/^!\[other\]\(\/media\/\S+\)\n$/)
    const owner = { id: 'ada' }
    const { text, missing } = await editor.finalize(fields.get('body') ?? '', { owner })
    expect(missing).toEqual([])
    const response = await get(/!\[photo\]\((\S+)\)/.exec(text)?.[1] ?? '')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(png())
  })

  it('keeps repeated fields, and adds a file to the last one before it', async () => {
    const { editor } = await open()
    const fields = await editor.readForm(
      await requestOf(
        formOf(
          ['tag', 'a'],
          ['tag', 'b'],
          ['tag-files', imageFile()],
          ['tag', 'c'],
          ...Array.from({ length: 100 }, (): [string, string] => ['choice', 'on']),
        ),
      ),
    )
    expect(fields.getAll('tag')).toEqual(['a', expect.stringMatching(/^b\n\n!\[photo\]\(/), 'c'])
    expect(fields.getAll('choice')).toHaveLength(100)
  })

  it('ignores an empty file input', async () => {
    const { editor } = await open()
    const none = new File([], '', { type: 'application/octet-stream' })
    const fields = await editor.readForm(
      await requestOf(formOf(['body', 'Text'], ['body-files', none])),
    )
    expect([...fields]).toEqual([['body', 'Text']])
  })

  it.each([
    [
      'an HTML page',
      new File(['<script>'], 'a.html', { type: 'text/html' }),
      'unsupported_media_type',
    ],
    [
      'a large file',
      new File(['a'.repeat(100_001)], 'a.txt', { type: 'text/plain' }),
      'file_too_large',
    ],
    [
      'a file that is not an image',
      new File(['a'.repeat(100_000)], 'a.png', { type: 'image/png' }),
      'unsupported_media_type',
    ],
  ])('rejects %s, stores nothing, and returns all fields', async (_, file, code) => {
    const opened = await open({ maxUploadSize: 100_000 })
    const fields: [string, string | File][] = [
      ['body', 'Text'],
      ['body-files', imageFile()],
      ['body-files', file],
      ['body-files', imageFile()],
      ['notes', 'More'],
    ]
    const error = await refusalOf(opened, formOf(...fields))
    expect(error.code).toBe(code)
    expect([...error.fields]).toEqual([
      ['body', 'Text'],
      ['notes', 'More'],
    ])
  })

  it('adds no file to a text if a later file is rejected', async () => {
    let calls = 0
    const validate = (): void => {
      if (++calls > 1) throw new ValidationError('Not today.')
    }
    const { editor } = await open({}, { validate })
    const form = formOf(['body', 'Text'], ['body-files', imageFile()], ['body-files', imageFile()])
    const error = await editor.readForm(await requestOf(form)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'FormError', code: 'validation_error' })
    expect((error as FormError).fields.get('body')).toBe('Text')
  })

  it('rejects a form with too much text', async () => {
    const half = 'x'.repeat(4 * 1024 * 1024)
    const { code } = await refusalOf(await open(), formOf(['body', half], ['notes', half]))
    expect(code).toBe('text_too_large')
  })

  it('logs a failure of the storage', async () => {
    const storage = memoryStorage()
    const opened = await open({}, { storage })
    storage.write = async () => {
      throw new QuillgateError('storage_failed', 503, 'The storage cannot be used.')
    }
    const error = await refusalOf(opened, formOf(['body', 'Text'], ['body-files', imageFile()]))
    expect(error).toMatchObject({ status: 503, code: 'storage_failed' })
    expect(error.fields.get('body')).toBe('Text')
    expect(opened.logged).toEqual([
      expect.stringContaining('A request to the markdown editor failed'),
    ])
  })

  it('rethrows errors of the application', async () => {
    const mistake = new ConfigurationError('scanner', 'must be installed')
    const validate = (): never => {
      throw mistake
    }
    const { editor } = await open({}, { validate })
    const form = formOf(['body', 'Text'], ['body-files', imageFile()])
    await expect(editor.readForm(await requestOf(form))).rejects.toBe(mistake)
    const read = await requestOf(form)
    await read.text()
    const error = await editor.readForm(read).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'body_already_read' })
    expect(error).not.toBeInstanceOf(FormError)
  })

  it('stops reading if the request has no owner', async () => {
    const opened = await open({ requireAuth: false })
    const form = formOf(['body', 'Text'], ['body-files', imageFile()], ['notes', 'More'])
    const error = await refusalOf(opened, form, { authorization: 'DPoP nobody' })
    expect(error.code).toBe('authentication_required')
    expect([...error.fields]).toEqual([['body', 'Text']])
  })

  it('calls the upload handler, and removes the files that it rejects', async () => {
    const validate = (): never => {
      throw new ValidationError('Not today.')
    }
    const opened = await open({}, { validate })
    const form = formOf(['body', ''], ['body-files', imageFile()], ['body-files', imageFile()])
    expect(await refusalOf(opened, form)).toMatchObject({ status: 422, detail: 'Not today.' })
  })

  it('counts files towards the upload rate', async () => {
    const opened = await open({ uploadRateLimit: '1/hour' })
    const form = formOf(['body', ''], ['body-files', imageFile()], ['body-files', imageFile()])
    expect((await refusalOf(opened, form)).code).toBe('rate_limited')
  })

  it('rejects a file without a text field before it', async () => {
    for (const name of ['body-files', 'avatar']) {
      const form = formOf([name, imageFile()], ['body', 'Text'])
      const { code, fields } = await refusalOf(await open(), form)
      expect(code).toBe('invalid_request')
      expect(fields.get('body')).toBe('Text')
    }
  })

  it('rejects a form that is not multipart', async () => {
    const { editor } = await open()
    await expect(editor.readForm(await requestOf(new URLSearchParams()))).rejects.toMatchObject({
      status: 415,
    })
  })

  describe('from a browser with cookies', () => {
    const authenticate = ({ request }: { request: Request }) =>
      request.headers.get('x-user') === null ? null : { id: 'ada' }

    async function openPage(editor: TestEditor['editor']) {
      const request = new Request(`${ORIGIN}/posts/new`, { headers: { 'x-user': 'ada' } })
      const token = await editor.gate.csrfToken(request)
      const { headers } = editor.gate.respond(request, new Response(''))
      return { token, cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    }

    it('rejects a signed-out form before it stores a file, and returns the text before the file', async () => {
      const opened = await open({}, { authenticate })
      const { editor } = opened
      const { token, cookie } = await openPage(editor)
      const send = async (text: string, sent: string, headers: Record<string, string>) => {
        const form = formOf(
          ['csrf_token', sent],
          ['body', text],
          ['body-files', imageFile()],
          ['notes', 'More'],
        )
        return refusalOf(opened, form, { origin: ORIGIN, cookie, ...headers })
      }
      const user = { 'x-user': 'ada' }
      const attempts: [sent: string, headers: Record<string, string>, code: string][] = [
        ['wrong', user, 'csrf_failed'],
        [token, {}, 'authentication_required'],
      ]
      for (const [sent, headers, code] of attempts) {
        const error = await send('Text', sent, headers)
        expect(error.code).toBe(code)
        expect([...error.fields]).toEqual([
          ['csrf_token', sent],
          ['body', 'Text'],
        ])
        const long = await send('x'.repeat(64 * 1024), sent, headers)
        expect(long.code).toBe(code)
        expect([...long.fields]).toEqual([['csrf_token', sent]])
      }
    })

    it('returns no fields of a cross-origin form, signed in or not', async () => {
      const opened = await open({}, { authenticate })
      const { token, cookie } = await openPage(opened.editor)
      const form = formOf(['csrf_token', token], ['body', 'Text'])
      const attempts: [headers: Record<string, string>, code: string][] = [
        [{ 'x-user': 'ada' }, 'csrf_failed'],
        [{}, 'authentication_required'],
      ]
      for (const [headers, code] of attempts) {
        const foreign = { origin: 'https://evil.example', cookie, ...headers }
        const error = await refusalOf(opened, form, foreign)
        expect(error.code).toBe(code)
        expect([...error.fields]).toEqual([])
      }
    })

    it('reads the token from the first field or the header', async () => {
      const { editor } = await open({}, { authenticate })
      const { token, cookie } = await openPage(editor)
      const headers = { origin: ORIGIN, cookie, 'x-user': 'ada' }
      const texts: [string, string | File][] = [
        ['body', 'Text'],
        ['body-files', imageFile()],
      ]
      for (const request of [
        await requestOf(formOf(['csrf_token', token], ...texts), headers),
        await requestOf(formOf(...texts), { ...headers, 'x-csrf-token': token }),
      ])
        expect((await editor.readForm(request)).get('body')).toContain('![photo](')
    })
  })
})
