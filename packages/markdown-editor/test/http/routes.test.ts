import { QuillgateError } from '@quillgate/server/core'
import { afterEach, describe, expect, it } from 'vitest'
import { type OpenRoutes, ORIGIN, openRoutes, problemOf } from './open-routes.ts'

let editor: OpenRoutes
afterEach(() => editor.close())

describe('createEditorEndpoints', () => {
  it('recognizes its own paths', async () => {
    editor = await openRoutes()
    const { handler } = editor
    for (const path of [
      '/md-editor/upload',
      '/md-editor/x',
      '/media/',
      '/media/md-editor/tmp/x?y',
    ]) {
      expect(handler.handles(path)).toBe(true)
      expect(handler.handles(new URL(path, ORIGIN))).toBe(true)
      expect(handler.handles(new Request(new URL(path, ORIGIN)))).toBe(true)
    }
    for (const path of [
      '/',
      '/md-editor',
      '/md-editorial/',
      '/media',
      '/mediaeval/',
      '/posts?next=/media/',
      '/x/media/',
    ]) {
      expect(handler.handles(path)).toBe(false)
    }
  })

  it('answers 404 not_found to unknown paths, and never rejects', async () => {
    editor = await openRoutes()
    for (const path of [
      '/md-editor/',
      '/md-editor/nothing',
      '/',
      '/md-editor/upload/x',
      '/media',
    ]) {
      expect(await problemOf(await editor.send(path))).toMatchObject({
        status: 404,
        code: 'not_found',
      })
    }
  })

  it('waits until the editor is ready, and answers with an error if it cannot start', async () => {
    let ready = false
    editor = await openRoutes({
      routes: {
        ready: async () => {
          await Promise.resolve()
          ready = true
        },
        authenticate: () => {
          expect(ready).toBe(true)
          return null
        },
      },
    })
    expect((await editor.send('/md-editor/upload', { method: 'POST' })).status).toBe(401)
    await editor.close()
    editor = await openRoutes({
      routes: {
        ready: () =>
          Promise.reject(new QuillgateError('database_unavailable', 503, 'Try again later.')),
      },
    })
    expect(await problemOf(await editor.send('/media/x'))).toMatchObject({
      status: 503,
      code: 'database_unavailable',
    })
  })

  it('answers 500 without details when the application fails to authenticate', async () => {
    editor = await openRoutes({
      routes: {
        authenticate: () => {
          throw new Error('password of the user database: hunter2')
        },
      },
    })
    const problem = await problemOf(await editor.send('/md-editor/upload', { method: 'POST' }))
    expect(problem).toMatchObject({ status: 500, code: 'internal_error' })
    expect(JSON.stringify(problem)).not.toContain('hunter2')
    expect(editor.unexpected).toHaveLength(1)
  })
})
