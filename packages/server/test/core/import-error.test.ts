import { createRequire } from 'node:module'
import { importError } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'

describe('importError', () => {
  const require = createRequire(import.meta.url)
  const name = '@quillgate/no-such-package'
  const failureOf = (load: () => Promise<unknown>): Promise<unknown> =>
    load().catch((error: unknown) => error)

  it.each<[string, () => Promise<unknown>]>([
    ['import', () => import(/* @vite-ignore */ ['@quillgate', 'no-such-package'].join('/'))],
    ['require', async () => require(name)],
  ])('names the package to install after a failed %s', async (_, load) => {
    expect(importError(await failureOf(load), name, 's3()')).toMatchObject({
      code: 'driver_missing',
      message: `s3() needs the package ${name}: run npm install ${name}.`,
    })
  })

  it('returns errors of an installed package unchanged', async () => {
    const error = await failureOf(async () => require('./no-such-file.js'))
    expect(error).toMatchObject({ code: 'MODULE_NOT_FOUND' })
    expect(importError(error, 'hono', 'A server')).toBe(error)
  })
})
