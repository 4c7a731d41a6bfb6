import { createRequire } from 'node:module'
import { loadPackage } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'

describe('loadPackage', () => {
  const require = createRequire(import.meta.url)

  it('names the package to install', async () => {
    const load = (): Promise<unknown> =>
      import(/* @vite-ignore */ ['@quillgate', 'no-such-package'].join('/'))
    const loading = loadPackage('@quillgate/no-such-package', 's3()', load)
    await expect(loading).rejects.toMatchObject({
      code: 'driver_missing',
      message:
        's3() needs the package @quillgate/no-such-package: run npm install @quillgate/no-such-package.',
    })
  })

  it('passes on errors of an installed package', async () => {
    const broken = async (): Promise<unknown> => require('./no-such-file.js')
    await expect(loadPackage('hono', 'A server', broken)).rejects.toMatchObject({
      code: 'MODULE_NOT_FOUND',
    })
  })
})
