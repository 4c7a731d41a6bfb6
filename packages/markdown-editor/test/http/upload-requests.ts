import { afterEach, expect } from 'vitest'
import { PNG } from '../media/upload/samples.ts'
import {
  formWith,
  type OpenOptions,
  type OpenRoutes,
  openRoutes,
  problemOf,
} from './open-routes.ts'

export const UPLOAD = '/md-editor/upload'
export const ada = { user: 'ada' }

export const post = (
  form = formWith(PNG),
  headers: Readonly<Record<string, string>> = {},
): RequestInit => ({ method: 'POST', body: form, headers })

/** A request whose body is not encoded by `FormData`. */
export const raw = (
  body: string,
  contentType = 'multipart/form-data; boundary=x',
): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': contentType },
  body,
})

export const filePart = (content: string, name = 'file'): string =>
  `--x\r\ncontent-disposition: form-data; name="${name}"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n${content}\r\n`

export const fieldPart = (name: string, value: string): string =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

/** Opens routes for the tests of a file, and closes them after each test. */
export function useUploads() {
  const opened: OpenRoutes[] = []
  afterEach(async () => {
    for (const routes of opened.splice(0)) await routes.close()
  })
  return {
    async open(options?: OpenOptions): Promise<OpenRoutes> {
      const routes = await openRoutes(options)
      opened.push(routes)
      return routes
    },
    /** Expects a problem, and no stored file. */
    async expectRefusal(response: Response, status: number, code: string): Promise<void> {
      expect(await problemOf(response)).toMatchObject({ status, code })
      for (const routes of opened) expect(await routes.keys()).toEqual([])
    },
  }
}
