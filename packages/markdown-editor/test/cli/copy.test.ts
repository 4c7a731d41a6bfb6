import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { localFiles } from '@quillgate/markdown-editor'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEditor, type TestEditor } from '../editor-fixture.ts'
import { type Ended, runMain } from './run-main.ts'

const config = fileURLToPath(new URL('./fixtures/copy.config.ts', import.meta.url))
const MARKER = 'quillgate-installation.txt'

// Each test starts some processes.
describe('markdown-editor copy', { timeout: 90_000 }, () => {
  let folder: string
  let opened: TestEditor
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quillgate-cli-copy-'))
    const storage = localFiles(join(folder, 'media'))
    opened = await openEditor(
      {},
      { database: `sqlite:${join(folder, 'ledger.sqlite')}`, storage, clock: Date.now },
    )
    for (let n = 0; n < 6; n++) await opened.addPermanent()
  })
  afterEach(async () => {
    await opened.close()
    await rm(folder, { recursive: true, force: true })
  })

  const copy = (...args: string[]): Promise<Ended> =>
    runMain(folder, ['copy', '--config', config, ...args])
  /** Contents by path. */
  const treeOf = async (name: string): Promise<Record<string, string>> => {
    const entries = await readdir(join(folder, name), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => [])
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    const read = async (path: string) =>
      [path.slice(join(folder, name).length), await readFile(path, 'latin1')] as const
    return Object.fromEntries(await Promise.all(files.map(read)))
  }

  it('copies all media to a storage of the configuration, and tells how far it is', async () => {
    const planned = await copy('--to', 'next', '--dry-run')
    expect(planned).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^6 files: would copy 6 and replace 0 /),
    })
    expect(await treeOf('next')).toEqual({})

    const done = await copy('--to', 'next')
    expect(done.code).toBe(0)
    expect(done.out).toMatch(
      /^6 files: copied 6 and replace 0 \(0\.0 MB\), 0 were there, .*; 0 lost, 0 failed\.\nComplete\./,
    )
    expect(done.error).toMatch(/6 of 6 files; copied 6 \(0\.0 MB\)\n$/)
    expect(await treeOf('next')).toEqual(await treeOf('media'))

    const again = await copy('--to', 'next', '--json', '--concurrency', '2')
    expect(JSON.parse(again.out)).toMatchObject({
      ...{ complete: true, dry_run: false, stopped: null, copied: 0, present: 6 },
      ...{ lost: { count: 0, items: [] }, failed: { count: 0, items: [] } },
    })
  })

  it('goes on where it was killed, and marks the target only when it has all', async () => {
    const killed = (at: number): Promise<Ended> =>
      runMain(folder, ['copy', '--config', config, '--to', 'next', '--concurrency', '1'], {
        QUILLGATE_TEST_KILL_AT: String(at),
      })
    // The first write of each run is the probe that tells the two storages apart.
    for (const at of [4, 3]) {
      expect(await killed(at)).toMatchObject({ code: null })
      const files = Object.keys(await treeOf('next'))
      expect(files).not.toContain(`/${MARKER}`)
      // What was being written lies under a temporary name.
      expect(files.some((name) => name.endsWith('.part'))).toBe(true)
    }
    const before = Object.keys(await treeOf('next')).filter((name) => name.endsWith('.png')).length
    expect(before).toBe(3)
    const report = JSON.parse((await copy('--to', 'next', '--json')).out)
    expect(report).toMatchObject({
      complete: true,
      present: before,
      copied: 6 - before,
      replaced: 0,
    })
    const { [`/${MARKER}`]: marker, ...media } = await treeOf('next')
    expect(marker).toBe((await treeOf('media'))[`/${MARKER}`])
    const whole = Object.entries(media).filter(([name]) => !name.endsWith('.part'))
    expect({ [`/${MARKER}`]: marker, ...Object.fromEntries(whole) }).toEqual(await treeOf('media'))
  })

  it('says by its exit code that something is missing, and what', async () => {
    const [lost = ''] = await opened.storedKeys()
    await rm(join(folder, 'media', lost))
    const ended = await copy('--to', 'next')
    expect(ended).toMatchObject({
      code: 1,
      out: expect.stringContaining(`Missing in the source: ${lost} (`),
    })
    expect(ended.out).toContain('--accept-losses')
    expect(Object.keys(await treeOf('next'))).not.toContain(`/${MARKER}`)
    expect((await copy('--to', 'next', '--accept-losses', '--sizes-only')).code).toBe(0)
    expect(Object.keys(await treeOf('next'))).toContain(`/${MARKER}`)
  })

  it('says by its exit code that the other storage is not ours', async () => {
    await mkdir(join(folder, 'foreign'))
    await writeFile(join(folder, 'foreign', MARKER), 'of somebody else\n')
    expect(await copy('--to', 'foreign')).toMatchObject({
      code: 3,
      out: expect.stringContaining('another installation'),
    })
    expect(Object.keys(await treeOf('foreign'))).toEqual([`/${MARKER}`])
  })

  it('says why a storage cannot be used', async () => {
    await writeFile(join(folder, 'next'), 'a file where the folder should be')
    expect(await copy('--to', 'next')).toMatchObject({
      code: 1,
      error: expect.stringMatching(/^The storage cannot be used: E(EXIST|NOTDIR)/),
    })
  })

  it.each([
    [[], 2, 'copy needs --to'],
    [['--to', 'next', '--concurrency', '0'], 2, '--concurrency must be'],
    [['--to', 'nowhere'], 1, 'exports no storage under the name nowhere. There is foreign, next.'],
    [['--to', 'toString'], 1, 'exports no storage under the name toString'],
  ])('refuses %j', async (args, code, message) => {
    expect(await copy(...args)).toMatchObject({
      code,
      out: '',
      error: expect.stringContaining(message),
    })
  })
})
