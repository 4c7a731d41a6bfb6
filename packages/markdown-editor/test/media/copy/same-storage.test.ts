import { mkdtemp, readFile, rm, symlink, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localFiles, type Storage } from '@quillgate/markdown-editor'
import { createFakeClock } from '@quillgate/server/testing'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import type { CopyOptions } from '../../../src/media/copy.ts'
import { keyOfUrl, png, type TestEditor } from '../../editor-fixture.ts'
import { useEditors } from '../../use-editors.ts'

const MARKER = 'quillgate-installation.txt'
const PROBES = 'quillgate-probes/'

const { ends, open } = useEditors()

/** An editor whose files are in a folder of which only half of one file is left. */
async function openDamaged(): Promise<{
  opened: TestEditor
  folder: string
  directory: string
  key: string
}> {
  const folder = await mkdtemp(join(tmpdir(), 'quillgate-same-'))
  ends.push(() => rm(folder, { recursive: true }))
  const directory = join(folder, 'media')
  const opened = await open({}, { storage: localFiles(directory) })
  const { url } = await opened.addPermanent()
  await opened.addPermanent()
  const key = keyOfUrl(url)
  await truncate(join(directory, key), 60)
  return { opened, folder, directory, key }
}

async function keysOf(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys
}

describe('editor.copyTo, to the present storage', () => {
  it('refuses the object itself, also for a dry run', async () => {
    const opened = await open()
    for (const options of [{}, { dryRun: true }] satisfies CopyOptions[]) {
      await expect(opened.editor.copyTo(opened.storage, options)).rejects.toMatchObject({
        code: 'same_storage',
        message: expect.stringContaining('another storage'),
      })
    }
  })

  it.each(['a link', 'the same path'])('refuses %s, and changes nothing', async (how) => {
    const { opened, folder, directory, key } = await openDamaged()
    await symlink(directory, join(folder, 'backup'))
    const before = await opened.storedKeys()
    const other = localFiles(how === 'a link' ? join(folder, 'backup') : `${directory}/../media`)
    for (const options of [{}, { acceptLosses: true }] satisfies CopyOptions[]) {
      await expect(opened.editor.copyTo(other, options)).rejects.toMatchObject({
        code: 'same_storage',
      })
    }
    expect(await opened.storedKeys()).toEqual(before)
    expect((await readFile(join(directory, key))).byteLength).toBe(60)
    expect(await keysOf(other, PROBES)).toEqual([])
    expect(await opened.editor.sweep()).toMatchObject({ stopped: null })
  })

  it('refuses a second client of the same bucket', async () => {
    const opened = await open()
    await opened.addPermanent()
    const client: Storage = new Proxy(opened.storage, {
      get: (storage, name: keyof Storage) => storage[name]?.bind(storage),
    })
    await expect(opened.editor.copyTo(client)).rejects.toMatchObject({ code: 'same_storage' })
    expect(await opened.storage.stat(MARKER)).not.toBeNull()
  })
})

describe('editor.copyTo, to a storage that differs', () => {
  const lose = (storage: Storage, key: string): Promise<unknown> => storage.remove(key)
  const damage = async (storage: Storage, key: string): Promise<void> => {
    await storage.remove(key)
    await storage.write(key, ReadableStream.from([png().subarray(0, 50)]), { type: 'image/png' })
  }

  it.each([
    ['damaged', damage],
    ['missing', lose],
  ] as const)('keeps a damaged object there when the one here is %s', async (problem, spoil) => {
    const opened = await open()
    const key = keyOfUrl((await opened.addPermanent()).url)
    const target = memoryStorage()
    await target.write(key, ReadableStream.from([png().subarray(0, 60)]), { type: 'image/png' })
    await spoil(opened.storage, key)
    expect(await opened.editor.copyTo(target)).toMatchObject({
      complete: false,
      lost: { items: [{ key, problem }] },
    })
    expect(await target.stat(key)).toMatchObject({ size: 60 })
  })

  it('leaves no probe there, nor those of copies that were killed', async () => {
    const opened = await open()
    const clock = createFakeClock()
    const target = memoryStorage({ clock })
    const put = (name: string): Promise<unknown> =>
      target.write(`${PROBES}${name}`, ReadableStream.from([Buffer.from('x')]), {
        type: 'text/plain',
      })
    await put('killed.txt')
    clock.advance(3_600_001)
    await put('at-work.txt')
    expect(await opened.editor.copyTo(target)).toMatchObject({ complete: true })
    expect(await keysOf(target, PROBES)).toEqual([`${PROBES}at-work.txt`])
    expect(await keysOf(opened.storage, PROBES)).toEqual([])
  })

  it('writes no probe for a dry run, nor into the storage of another installation', async () => {
    const [opened, other] = [await open(), await open()]
    const target = memoryStorage()
    const written: string[] = []
    for (const storage of [target, other.storage]) {
      const { write } = storage
      storage.write = async (key, ...rest) => {
        written.push(key)
        return write.call(storage, key, ...rest)
      }
    }
    await opened.editor.copyTo(target, { dryRun: true })
    expect(await opened.editor.copyTo(other.storage)).toMatchObject({
      stopped: 'installation_mismatch',
    })
    expect(written).toEqual([])
  })
})
