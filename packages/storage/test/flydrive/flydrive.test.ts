import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fromDiskKey, toDiskKey } from '../../src/flydrive/disk-key.ts'
import { type FlydriveDisk, flydrive } from '../../src/flydrive/flydrive.ts'
import { isStorageKey } from '../../src/storage-key.ts'
import { chunks, failing, info, keysOf, pieces, textOf } from '../../src/testing/storage-bodies.ts'
import { expectAllToFail, failed } from '../failures.ts'

let folder: string
let temporaryDirectory: string
let disk: Disk

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quillgate-flydrive-'))
  temporaryDirectory = await mkdtemp(join(tmpdir(), 'quillgate-spool-'))
  disk = new Disk(new FSDriver({ location: folder, visibility: 'private' }))
})

afterEach(() =>
  Promise.all(
    [folder, temporaryDirectory].map((path) => rm(path, { recursive: true, force: true })),
  ),
)

const faulty = (faults: Partial<FlydriveDisk>): FlydriveDisk =>
  new Proxy<FlydriveDisk>(disk, {
    get: (target, name: keyof FlydriveDisk) => faults[name] ?? target[name].bind(target),
  })

describe('flydrive', () => {
  it('rejects values that are not disks, and unknown options', () => {
    expect(() => flydrive({} as FlydriveDisk)).toThrow('flydrive.disk must have exists()')
    expect(() => flydrive(disk, { signedUrl: true } as object)).toThrow(
      'flydrive.signedUrl is not an option',
    )
  })

  it('accepts the disks of flydrive', () => {
    const structural: FlydriveDisk = disk
    expect(structural).toBe(disk)
  })

  it('stores nothing before the body ends, and leaves no temporary file', async () => {
    vi.stubEnv('TMPDIR', temporaryDirectory)
    const storage = flydrive(disk)
    const large = 2 * 1024 * 1024
    await expect(storage.write('a/file', failing(new Error('gone'), large), info)).rejects.toThrow(
      'gone',
    )
    expect(await readdir(folder)).toEqual([])
    await storage.write('a/file', ReadableStream.from(pieces(large)), info)
    expect((await storage.stat('a/file'))?.size).toBe(large)
    expect(await readdir(temporaryDirectory)).toEqual([])
    vi.unstubAllEnvs()
  })

  it('passes the type and size to the disk', async () => {
    const passedOptions: unknown[] = []
    const put: FlydriveDisk['put'] = (key, contents, options) => {
      passedOptions.push(options)
      return disk.put(key, contents)
    }
    await flydrive(faulty({ put })).write('a/photo', chunks('12345'), { type: 'image/png' })
    expect(passedOptions).toEqual([{ contentType: 'image/png', contentLength: 5 }])
  })

  it('removes an incomplete object, and throws', async () => {
    const put: FlydriveDisk['put'] = (key, contents) => disk.put(key, contents.slice(0, 2))
    const copy: FlydriveDisk['copy'] = async (_from, to) => {
      await disk.put(to, 'ha')
      throw new Error('disk full')
    }
    await expect(
      flydrive(faulty({ put })).write('a/file', chunks('hello'), info),
    ).rejects.toMatchObject(failed)
    expect(await flydrive(disk).stat('a/file')).toBeNull()
    await flydrive(disk).write('a/file', chunks('hello'), info)
    await expect(flydrive(faulty({ copy })).copy('a/file', 'b/file')).rejects.toMatchObject(failed)
    expect(await flydrive(disk).stat('b/file')).toBeNull()
  })

  it('keeps an object that another process has copied meanwhile', async () => {
    const other = flydrive(disk)
    const copy: FlydriveDisk['copy'] = async (from, to) => {
      await other.copy('a/temporary', 'a/permanent')
      await other.remove('a/temporary')
      await disk.copy(from, to)
    }
    await other.write('a/temporary', chunks('all of it'), info)
    expect(await flydrive(faulty({ copy })).copy('a/temporary', 'a/permanent')).toBe(true)
    expect(await textOf(other, 'a/permanent')).toBe('all of it')
  })

  it('throws storage_failed if the disk fails', async () => {
    await flydrive(disk).write('a/file', chunks('hello'), info)
    const broken = async (): Promise<never> => {
      throw new Error('broken')
    }
    const storage = flydrive(faulty({ exists: broken, listAll: broken }))
    await expectAllToFail(storage)
  })

  it('rejects a body that ends too early', async () => {
    await flydrive(disk).write('a/file', chunks('hello'), info)
    const getStream = async (): Promise<Readable> => Readable.from([Buffer.from('hel')])
    const stored = await flydrive(faulty({ getStream })).read('a/file')
    await expect(new Response(stored?.body).text()).rejects.toMatchObject(failed)
  })

  it('finds no object if a folder of its key is a file', async () => {
    const storage = flydrive(disk)
    await storage.write('a/file', chunks('hello'), info)
    expect(await storage.stat('a/file/deeper')).toBeNull()
    expect(await storage.remove('a/file/deeper')).toBe(false)
  })

  it('does not list other files', async () => {
    const storage = flydrive(disk)
    await storage.write('a/file', chunks('x'), info)
    await writeFile(join(folder, 'a', 'My photo.png'), 'x')
    await writeFile(join(folder, 'a', '.hidden'), 'x')
    expect(await keysOf(storage, 'a/')).toEqual(['a/file'])
  })

  it('throws storage_failed if the disk cannot sign URLs', async () => {
    const storage = flydrive(disk, { signedUrls: true })
    const url = storage.signedUrl?.('a/file', {
      expiresIn: 60,
      type: 'image/png',
      disposition: 'inline',
    })
    await expect(url).rejects.toMatchObject(failed)
  })

  it('stores letters of every script', async () => {
    const storage = flydrive(disk)
    const key = `md/${'фото'.repeat(25)}/写真-हिन्दी.png`
    await storage.write(key, chunks('x'), info)
    expect(await textOf(storage, key)).toBe('x')
    expect(await keysOf(storage, 'md/')).toEqual([key])
    expect(await storage.copy(key, 'md/копия.png')).toBe(true)
  })
})

describe('toDiskKey', () => {
  it('returns unique names that flydrive and file systems accept', () => {
    const letters = fc.constantFrom(
      'a',
      'Z',
      '0',
      '-',
      '_',
      '.',
      '/',
      'ф',
      '写',
      '\u0301',
      'é',
      '𝒳',
    )
    const keys = fc
      .array(letters, { minLength: 1, maxLength: 200 })
      .map((parts) => parts.join(''))
      .filter(isStorageKey)
    fc.assert(
      fc.property(keys, (key) => {
        const name = toDiskKey(key)
        expect(name).toMatch(/^[\w!./-]+$/)
        for (const segment of name.split('/')) expect(segment.length).toBeLessThanOrEqual(255)
        expect(fromDiskKey(name)).toBe(key)
      }),
    )
  })

  it('accepts only names that toDiskKey returns', () => {
    for (const name of ['a b', 'a!', '!!', '!YQ!', '!0YTQvg', 'a!!/b', '../a', ''])
      expect(fromDiskKey(name)).toBeNull()
  })
})
