import {
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createFakeClock } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { localFiles, type Storage } from '../../src/index.ts'

let base: string
let directory: string
let storage: Storage

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'quillgate-files-'))
  directory = join(base, 'data', 'media')
  storage = localFiles(directory)
})

afterEach(() => rm(base, { recursive: true }))

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const write = (key: string, text = 'x') => storage.write(key, bytes(text), { type: 'text/plain' })

async function keysUnder(prefix: string, from: Storage = storage): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of from.list(prefix)) keys.push(key)
  return keys.sort()
}

const mode = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777

describe('localFiles', () => {
  it('rejects a directory that is not a path', () => {
    for (const wrong of ['', null, undefined, 1]) {
      expect(() => localFiles(wrong as string)).toThrow('localFiles.directory must name a folder')
    }
  })

  it('changes nothing before the first write', async () => {
    expect(await storage.read('a/b')).toBeNull()
    expect(await storage.remove('a/b')).toBe(false)
    expect(await keysUnder('a/')).toEqual([])
    expect(await readdir(base)).toEqual([])
  })

  it('allows only the owner to read', async () => {
    await write('a/b/file.txt')
    expect(await mode(join(directory, 'a/b/file.txt'))).toBe(0o600)
    for (const folder of ['', 'a', 'a/b']) expect(await mode(join(directory, folder))).toBe(0o700)
  })

  it('leaves no temporary names after any write', async () => {
    await write('a/file')
    await expect(write('a/file')).rejects.toMatchObject({ code: 'storage_conflict' })
    const broken = (async function* () {
      yield Buffer.from('x')
      throw new Error('broken')
    })()
    await expect(storage.write('a/other', broken, { type: 'text/plain' })).rejects.toThrow('broken')
    expect(await readdir(join(directory, 'a'))).toEqual(['file'])
  })

  it('writes all bytes if the disk accepts only some of them at once', async () => {
    const handle = await open(base)
    const prototype = Object.getPrototypeOf(handle) as FileHandle
    await handle.close()
    const writev = vi.spyOn(prototype, 'writev').mockImplementation(async function (
      this: FileHandle,
      chunks: readonly NodeJS.ArrayBufferView[],
    ) {
      const some = Buffer.concat(chunks as Uint8Array[]).subarray(0, 40_001)
      const { bytesWritten } = await this.write(some)
      return { bytesWritten, buffers: [...chunks] }
    })
    const pieces = Array.from({ length: 50 }, (_, n) => Buffer.alloc(10_000, n))
    const { size } = await storage.write('a/large', Readable.from(pieces), { type: 'text/plain' })
    expect(writev.mock.calls.length).toBeGreaterThan(10)
    vi.restoreAllMocks()
    expect(size).toBe(500_000)
    const stored = await storage.read('a/large')
    expect(Buffer.from(await new Response(stored?.body).arrayBuffer())).toEqual(
      Buffer.concat(pieces),
    )
  })

  it('keeps a copy after the source is removed, and never changes its bytes', async () => {
    await write('tmp/a', 'bytes')
    await storage.copy('tmp/a', 'kept/a')
    await storage.remove('tmp/a')
    await write('tmp/a', 'others')
    const stored = await storage.read('kept/a')
    expect(await new Response(stored?.body).text()).toBe('bytes')
  })

  it('removes files of a killed write after a day', async () => {
    const clock = createFakeClock()
    const listing = localFiles(directory, { clock })
    await write('a/file')
    const partial = join(directory, 'a', '.0b0b6c1c-6d0e-4c5e-9f4f-1c1b1a191817.part')
    const hidden = join(directory, 'a', '.gitkeep')
    for (const path of [partial, hidden]) {
      await writeFile(path, 'half')
      await utimes(path, clock() / 1000, clock() / 1000)
    }
    expect(await keysUnder('a/', listing)).toEqual(['a/file'])
    expect(await readdir(join(directory, 'a'))).toHaveLength(3)
    clock.advance(24 * 60 * 60 * 1000 + 1)
    expect(await keysUnder('a/', listing)).toEqual(['a/file'])
    expect((await readdir(join(directory, 'a'))).sort()).toEqual(['.gitkeep', 'file'])
  })

  it('removes files of a killed write from the parent folders of a listed folder, too', async () => {
    await write('marker')
    await write('a/file')
    const partial = '.0b0b6c1c-6d0e-4c5e-9f4f-1c1b1a191817.part'
    await writeFile(join(directory, partial), 'half')
    await writeFile(join(directory, 'a', partial), 'half')
    const clock = createFakeClock(Date.now())
    const listing = localFiles(directory, { clock })
    await keysUnder('a/b/', listing)
    expect(await readdir(join(directory, 'a'))).toHaveLength(2)
    clock.advance(24 * 60 * 60 * 1000 + 1000)
    await keysUnder('a/b/', listing)
    expect((await readdir(directory)).sort()).toEqual(['a', 'marker'])
    expect(await readdir(join(directory, 'a'))).toEqual(['file'])
  })

  it('does not list files that are not its own', async () => {
    await write('a/file')
    await writeFile(join(directory, 'a', 'My Photo.png'), 'x')
    await writeFile(join(directory, 'a', '.DS_Store'), 'x')
    expect(await keysUnder('a/')).toEqual(['a/file'])
  })

  it('throws storage_failed with the reason if the file system fails', async () => {
    await mkdir(join(base, 'data'))
    await writeFile(join(base, 'data', 'media'), 'a file where the folder should be')
    await expect(write('a/file')).rejects.toMatchObject({
      code: 'storage_failed',
      status: 503,
      cause: expect.objectContaining({ code: 'EEXIST' }),
    })
  })
})

describe('localFiles and symbolic links', () => {
  beforeEach(async () => {
    await write('a/file', 'ours')
    await mkdir(join(base, 'outside'))
    await writeFile(join(base, 'outside', 'secret'), 'secret')
  })

  const outside = { code: 'storage_failed' }

  it('never follows a linked folder out of the directory', async () => {
    await symlink(join(base, 'outside'), join(directory, 'way-out'))
    await expect(storage.read('way-out/secret')).rejects.toMatchObject(outside)
    await expect(storage.stat('way-out/secret')).rejects.toMatchObject(outside)
    await expect(storage.remove('way-out/secret')).rejects.toMatchObject(outside)
    await expect(storage.copy('way-out/secret', 'a/copy')).rejects.toMatchObject(outside)
    await expect(storage.copy('a/file', 'way-out/copy')).rejects.toMatchObject(outside)
    await expect(write('way-out/new')).rejects.toMatchObject(outside)
    await expect(write('way-out/deep/new')).rejects.toMatchObject(outside)
    expect(await readdir(join(base, 'outside'))).toEqual(['secret'])
    expect(await keysUnder('way-out/')).toEqual([])
  })

  it('never reads, lists or removes through a linked file', async () => {
    await symlink(join(base, 'outside', 'secret'), join(directory, 'a', 'linked'))
    expect(await storage.read('a/linked')).toBeNull()
    expect(await storage.stat('a/linked')).toBeNull()
    expect(await storage.remove('a/linked')).toBe(false)
    expect(await storage.copy('a/linked', 'a/copy')).toBe(false)
    expect(await keysUnder('a/')).toEqual(['a/file'])
    await expect(write('a/linked')).rejects.toMatchObject({ code: 'storage_conflict' })
    expect(await readdir(join(base, 'outside'))).toEqual(['secret'])
  })

  it('accepts a directory that is a link', async () => {
    await symlink(directory, join(base, 'link'))
    const linked = localFiles(join(base, 'link'))
    expect(await linked.stat('a/file')).toMatchObject({ size: 4 })
    await linked.write('a/new', bytes('x'), { type: 'text/plain' })
    expect(await keysUnder('a/')).toEqual(['a/file', 'a/new'])
  })
})
