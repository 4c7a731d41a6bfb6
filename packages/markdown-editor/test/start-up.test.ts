import { localFiles } from '@quillgate/markdown-editor'
import { mount } from '@quillgate/server/node'
import { memoryStorage } from '@quillgate/storage/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createEditor, type TestEditorOptions } from './create-editor.ts'

const logged: unknown[][] = []
const logger = { warn: () => {}, error: (...args: unknown[]) => void logged.push(args) }
const open = (options: Partial<TestEditorOptions> = {}) =>
  createEditor({
    secret: 'a secret of at least thirty-two bytes',
    database: 'postgres://ada:hunter2@127.0.0.1:9/forum',
    storage: memoryStorage(),
    authenticate: () => null,
    logger,
    ...options,
  })

afterEach(() => {
  logged.length = 0
})

describe('an editor whose database cannot be reached', () => {
  it('logs one line with host and reason when it is mounted', async () => {
    const editor = open()
    mount(editor.gate)
    const line =
      /^markdown-editor cannot start: The database postgres:\/\/127\.0\.0\.1:9\/forum cannot be reached: .*ECONNREFUSED/
    await expect.poll(() => logged).toEqual([[expect.stringMatching(line)]])
    expect(String(logged)).not.toMatch(/hunter2|\n/)
    await editor.close()
  })

  it('rejects ready() with the same reason, and hides the reason from clients', async () => {
    const editor = open()
    await expect(editor.ready()).rejects.toThrow(
      /127\.0\.0\.1:9\/forum cannot be reached: .*ECONNREFUSED/,
    )
    const response = await editor.fetch(new Request('http://localhost/media/x'))
    expect(response.status).toBe(503)
    expect(await response.text()).not.toMatch(/127|forum|ECONN/)
    await editor.close()
  })

  it('logs nothing before it is mounted or used', async () => {
    await open().close()
    expect(logged).toEqual([])
  })
})

describe('a storage that cannot be used', () => {
  it('is reported with its path and the reason, and without unhelpful advice', async () => {
    const storage = localFiles(`${import.meta.filename}/media`)
    const editor = open({ database: 'sqlite::memory:', storage })
    const reason = /^The storage cannot be used: E[A-Z]+: .*start-up\.test\.ts/
    await expect(editor.ready()).rejects.toThrow(reason)
    await expect(editor.ready()).rejects.toThrow(/^((?!try again).)*$/)
    const response = await editor.fetch(new Request('http://localhost/media/x'))
    expect(await response.json()).toMatchObject({
      code: 'storage_failed',
      detail: 'The storage cannot be used now. Try again later.',
    })
    await editor.close()
  })

  it.each([
    ['./media', 'write localFiles("./media")'],
    ['s3://bucket', 'write s3FromUrl(…)'],
  ])('is rejected as the string %j, with the correct function call', (storage, correction) => {
    expect(() => open({ storage: storage as never })).toThrow(correction)
  })
})
