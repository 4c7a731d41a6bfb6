import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SCRIPT = new URL('../../scripts/write-client.mjs', import.meta.url).href

describe('writing a client bundle', () => {
  let parent: string
  let folder: string

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'quillgate-write-client-'))
    folder = join(parent, 'client')
  })
  afterEach(() => rm(parent, { recursive: true, force: true }))

  /** Runs `writeClient` with a client that consists of one file. */
  const write = (name: string): Promise<unknown> => {
    const code = `
      import { writeFile } from 'node:fs/promises'
      import { writeClient } from ${JSON.stringify(SCRIPT)}
      await writeClient('/nowhere', (folder) => writeFile(folder + '/${name}', '//'))`
    return promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      code,
      '--',
      folder,
    ])
  }

  it('fills a new or empty folder, and replaces a client', async () => {
    await write('a.js')
    expect(await readdir(folder)).toEqual(['a.js', 'manifest.json'])
    await write('b.js')
    expect(await readdir(folder)).toEqual(['b.js', 'manifest.json'])
    expect(await readdir(parent)).toEqual(['client'])
    await rm(folder, { recursive: true })
    await mkdir(folder)
    await write('c.js')
    expect(await readdir(folder)).toEqual(['c.js', 'manifest.json'])
  })

  it.each([
    ['notes.txt', 'mine'],
    ['manifest.json', '{"name": "an app of mine"}'],
    ['manifest.json', 'null'],
  ])('deletes nothing in another folder: %s', async (name, content) => {
    await mkdir(folder)
    await writeFile(join(folder, name), content)
    await expect(write('a.js')).rejects.toThrow('no manifest.json of a client')
    expect(await readFile(join(folder, name), 'utf8')).toBe(content)
    expect(await readdir(parent)).toEqual(['client'])
  })

  it('keeps the existing client when a build fails', async () => {
    await write('a.js')
    await expect(write('no/such/folder.js')).rejects.toThrow('ENOENT')
    expect(await readdir(folder)).toEqual(['a.js', 'manifest.json'])
    expect(await readdir(parent)).toEqual(['client'])
  })
})
