import { FormError, ValidationError } from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'
import { ORIGIN, png, type TestEditor } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

const picture = (name = 'photo.png'): File => new File([png()], name, { type: 'image/png' })

/** A form as a browser without JavaScript sends it. */
function formOf(...fields: [name: string, value: string | File][]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

/** A request with the bytes of a form, by default one of Ada, whose token needs no CSRF token. */
async function requestOf(
  form: FormData | URLSearchParams,
  headers: Record<string, string> = { authorization: 'Bearer ada' },
): Promise<Request> {
  const encoded = new Response(form)
  const all = { ...headers, 'content-type': encoded.headers.get('content-type') ?? '' }
  const body = await encoded.arrayBuffer()
  return new Request(`${ORIGIN}/posts`, { method: 'POST', headers: all, body })
}

async function refusalOf({ editor, storedKeys }: TestEditor, form: FormData): Promise<FormError> {
  const error = await editor.readForm(await requestOf(form)).catch((thrown: unknown) => thrown)
  if (!(error instanceof FormError)) throw error
  expect(await storedKeys()).toEqual([])
  return error
}

describe('editor.readForm', () => {
  it('adds the files to the end of their text, and finalizing makes them permanent', async () => {
    const { editor, get } = await open()
    const fields = await editor.readForm(
      await requestOf(
        formOf(
          ['csrf_token', ''],
          ['title', 'A post'],
          ['body', 'Text'],
          ['body-files', picture()],
          ['body-files', new File(['a,b'], 'list.csv', { type: 'text/csv' })],
          ['notes', ''],
          ['notes-files', picture('other.png')],
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

  it('ignores a file input without a choice', async () => {
    const { editor } = await open()
    const none = new File([], '', { type: 'application/octet-stream' })
    const fields = await editor.readForm(
      await requestOf(formOf(['body', 'Text'], ['body-files', none])),
    )
    expect([...fields]).toEqual([['body', 'Text']])
  })

  it.each([
    ['a page', new File(['<script>'], 'a.html', { type: 'text/html' }), 'unsupported_media_type'],
    [
      'a large file',
      new File(['a'.repeat(101)], 'a.txt', { type: 'text/plain' }),
      'file_too_large',
    ],
  ])('refuses %s, stores nothing, and returns the text', async (_, file, code) => {
    const opened = await open({ maxUploadSize: 100 })
    const form = formOf(['body', 'Text'], ['body-files', picture()], ['body-files', file])
    const error = await refusalOf(opened, form)
    expect(error.code).toBe(code)
    expect(error.fields.get('body')).toBe('Text')
  })

  it('asks the upload handler, and removes the files that it has not accepted', async () => {
    const validate = (): never => {
      throw new ValidationError('Not today.')
    }
    const opened = await open({}, { validate })
    const form = formOf(['body', ''], ['body-files', picture()], ['body-files', picture()])
    expect(await refusalOf(opened, form)).toMatchObject({ status: 422, detail: 'Not today.' })
  })

  it('counts files like uploads', async () => {
    const opened = await open({ uploadRateLimit: '1/hour' })
    const form = formOf(['body', ''], ['body-files', picture()], ['body-files', picture()])
    expect((await refusalOf(opened, form)).code).toBe('rate_limited')
  })

  it('refuses a file that belongs to no field before it', async () => {
    for (const name of ['body-files', 'avatar']) {
      const form = formOf([name, picture()], ['body', 'Text'])
      const { code, fields } = await refusalOf(await open(), form)
      expect(code).toBe('invalid_request')
      expect(fields.get('body')).toBe('Text')
    }
  })

  it('refuses a form that is not multipart', async () => {
    const { editor } = await open()
    await expect(editor.readForm(await requestOf(new URLSearchParams()))).rejects.toMatchObject({
      status: 415,
    })
  })

  describe('from a browser with cookies', () => {
    const authenticate = ({ request }: { request: Request }) =>
      request.headers.get('x-user') === null ? null : { id: 'ada' }

    /** The cookie and the token of a page. */
    async function openPage(editor: TestEditor['editor']) {
      const request = new Request(`${ORIGIN}/posts/new`, { headers: { 'x-user': 'ada' } })
      const token = await editor.gate.csrfToken(request)
      const { headers } = editor.gate.respond(request, new Response(''))
      return { token, cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    }

    it('refuses a forged or a signed-out form before it stores a file, and returns the text', async () => {
      const opened = await open({}, { authenticate })
      const { editor, storedKeys } = opened
      const { token, cookie } = await openPage(editor)
      const send = async (sent: string, headers: Record<string, string>) => {
        const form = formOf(['csrf_token', sent], ['body', 'Text'], ['body-files', picture()])
        const all = { origin: ORIGIN, cookie, ...headers }
        return editor.readForm(await requestOf(form, all))
      }
      const user = { 'x-user': 'ada' }
      const attempts: [sent: string, headers: Record<string, string>, code: string][] = [
        ['wrong', user, 'csrf_failed'],
        [token, { ...user, origin: 'https://evil.example' }, 'csrf_failed'],
        [token, {}, 'authentication_required'],
      ]
      for (const [sent, headers, code] of attempts) {
        const error = await send(sent, headers).catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ name: 'FormError', code })
        expect((error as FormError).fields.get('body')).toBe('Text')
        expect(await storedKeys()).toEqual([])
      }
      expect((await send(token, user)).get('body')).toContain('![photo](')
    })
  })
})
