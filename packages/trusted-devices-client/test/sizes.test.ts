import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { TrustedDevicesElement } from '@quillgate/trusted-devices-client'
import { createTokenClient } from '@quillgate/trusted-devices-client/token-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const BUILD = fileURLToPath(new URL('../scripts/build-client.mjs', import.meta.url))

describe('the bundled list', () => {
  let folder: string
  let output: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-sizes-'))
    output = (await promisify(execFile)(process.execPath, [BUILD, folder, '--sizes'])).stdout
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each([
    ['trusted-devices.js', 6_500],
    ['trusted-devices.css', 2_000],
  ])('is smaller than its limit: %s', (name, most) => {
    expect(gzipSync(readFileSync(join(folder, name)), { level: 9 }).length).toBeLessThan(most)
  })

  it('puts each language into its own script, and prints all sizes', () => {
    expect(
      readdirSync(folder).filter((name) => /^(?:de|fr)-[A-Z0-9]{8}\.js$/.test(name)),
    ).toHaveLength(2)
    const [, gzipped] = /token-client.*, (\d+) gzipped/.exec(output) ?? []
    expect(Number(gzipped)).toBeLessThan(5_000)
  })
})

describe('the client modules on a server', () => {
  it('can be imported without a DOM', async () => {
    expect(globalThis).not.toHaveProperty('HTMLElement')
    expect(TrustedDevicesElement.define).toBeTypeOf('function')
    const client = createTokenClient({
      baseUrl: 'https://api.example/trusted-devices',
    })
    expect(client.deviceUid).toBeNull()
    expect(await client.accessToken()).toBeNull()
    client.close()
  })
})
