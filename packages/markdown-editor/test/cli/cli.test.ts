import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { localFiles } from '@quillgate/markdown-editor'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEditor, png, type TestEditor } from '../editor-fixture.ts'
import { type ProgramResult, runMain } from './run-main.ts'

const config = fileURLToPath(new URL('./fixtures/quillgate.config.ts', import.meta.url))
const DAYS_AGO = -30 * 86_400_000

// Each test starts the program several times.
describe('markdown-editor (command line)', { timeout: 60_000 }, () => {
  let folder: string
  let opened: TestEditor
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quillgate-cli-'))
    opened = await openEditor(
      { orphanGrace: 86_400 },
      {
        database: `sqlite:${join(folder, 'ledger.sqlite')}`,
        storage: localFiles(join(folder, 'media')),
        clock: () => Date.now() + DAYS_AGO,
      },
    )
  })
  afterEach(async () => {
    await opened.close()
    await rm(folder, { recursive: true, force: true })
  })

  const run = (
    args: string[],
    texts: string[] = [],
    variables: Record<string, string> = {},
  ): Promise<ProgramResult> =>
    runMain(folder, args, { QUILLGATE_TEST_TEXTS: JSON.stringify(texts), ...variables })
  const files = async (): Promise<string[]> =>
    (await readdir(join(folder, 'media'), { recursive: true })).filter((name) =>
      name.endsWith('.png'),
    )

  it('reports with --dry-run and deletes without it', async () => {
    await opened.upload('old.png', png())
    const planned = await run(['sweep', '--config', config, '--dry-run'])
    expect(planned).toMatchObject({ code: 0, error: '' })
    expect(planned.out).toContain('expired: 1\n')
    expect(planned.out).toMatch(
      /items: 1\n {2}kind expired, id m\w+, key md-editor\/tmp\/m.*-old\.png/,
    )
    expect(await files()).toHaveLength(1)

    const done = await run(['sweep', '--config', config, '--json'])
    expect(done.code).toBe(0)
    expect(JSON.parse(done.out)).toMatchObject({
      dry_run: false,
      stopped: null,
      expired: 1,
      failed: 0,
    })
    expect(await files()).toHaveLength(0)

    expect((await run(['sweep', '--config', config])).out).toContain('expired: 0\n')
  })

  it('adds the references of records, so that their files are kept', async () => {
    const [kept, lost] = [await opened.addPermanent(), await opened.addPermanent()]
    const indexed = await run(['reindex', '--config', config], [`![a](${kept.url})`, 'no picture'])
    expect(indexed).toEqual({
      code: 0,
      out: 'records: 2\nadded: 1\nmissing: 0\n',
      error: '',
    })
    await run(['sweep', '--config', config])
    expect(await files()).toEqual([expect.stringContaining(kept.id)])
    expect((await opened.editor.media.get(lost.id))?.reason).toBe('unsaved')
  })

  it('fails if there are permanent files but no records', async () => {
    expect(await run(['reindex', '--config', config])).toMatchObject({ code: 0 })
    await opened.addPermanent()
    const indexed = await run(['reindex', '--config', config])
    expect(indexed).toMatchObject({ code: 1, out: '' })
    expect(indexed.error).toContain(
      'records returned no records, although there are permanent files',
    )
  })

  it('compares ledger and storage, and exits with 0 only if they agree', async () => {
    const { id, url } = await opened.addPermanent()
    expect(await run(['check', '--config', config])).toMatchObject({ code: 0 })
    await rm(join(folder, 'media', url.replace('/media/', '')))
    const found = await run(['check', '--config', config])
    expect(found.code).toBe(1)
    expect(found.out).toContain(`damaged: 1\n  id ${id}, key `)
    expect(JSON.parse((await run(['check', '--config', config, '--json'])).out)).toMatchObject({
      last_rebuild: null,
      damaged: { count: 1, items: [{ id }] },
    })
  })

  it('lists never-referenced files with their sizes, and does not count them as differences', async () => {
    const { id, url } = await opened.addPermanent()
    const [key, bytes] = [url.replace('/media/', ''), png().byteLength]
    const settings = { QUILLGATE_TEST_UNSAVED_GRACE: 'null' }
    const check = await run(['check', '--config', config], [], settings)
    expect(check).toMatchObject({ code: 0 })
    expect(check.out).toContain(`never_referenced: 1\n  id ${id}, key ${key}, size ${bytes}\n`)
    expect(check.out).toContain('The setting unsavedGrace deletes them.')
    expect(
      JSON.parse((await run(['check', '--config', config, '--json'], [], settings)).out),
    ).toMatchObject({
      never_referenced: { count: 1, bytes, items: [{ id, key, size: bytes }] },
    })

    const planned = await run(['sweep', '--config', config, '--dry-run'], [], settings)
    expect(planned.out).toContain('never_referenced: 1\n')
    expect(planned.out).toContain(`kind never_referenced, id ${id}, key ${key}, size ${bytes}\n`)
    expect(
      JSON.parse(
        (await run(['sweep', '--config', config, '--dry-run', '--json'], [], settings)).out,
      ),
    ).toMatchObject({
      ...{ never_referenced: 1, unsaved: 0 },
      items: [{ kind: 'never_referenced', id, key, size: bytes }],
    })
    expect((await run(['sweep', '--config', config], [], settings)).out).toContain('items: 0\n')
    expect(await files()).toHaveLength(1)
  })

  it('sets its exit code when the deletion guard stops it', async () => {
    await opened.upload('old.png', png())
    await rm(join(folder, 'media', 'quillgate-installation.txt'))
    for (const command of ['sweep', 'check']) {
      expect(await run([command, '--config', config])).toMatchObject({
        code: 3,
        out: expect.stringContaining('restore quillgate-installation.txt'),
      })
    }
    expect(await files()).toHaveLength(1)
  })

  it.each([
    [[], 'Use one of these commands: sweep, check, reindex'],
    [['swep'], 'Use one of'],
    [['sweep', 'more'], 'Use one of'],
    [['sweep', '--fast'], 'There is no option --fast'],
    [['check', '--dry-run'], 'check has no option --dry-run'],
    [['sweep', '--config'], '--config'],
  ])('refuses %j', async (args, message) => {
    const result = await run(args)
    expect(result).toMatchObject({ code: 2, out: '' })
    expect(result.error).toContain(message)
  })

  it('says what is wrong with the configuration', async () => {
    const without = fileURLToPath(new URL('./fixtures/without-editor.config.ts', import.meta.url))
    expect(await run(['sweep', '--config', without])).toMatchObject({
      code: 1,
      error: expect.stringContaining(
        'must export one markdown editor (the result of createMarkdownEditor), but exports 0',
      ),
    })
    expect(await run(['sweep', '--config', 'nowhere.ts'])).toMatchObject({
      code: 2,
      error: expect.stringMatching(/--config: the file .*nowhere\.ts does not exist/),
    })
    expect(await run(['sweep'])).toMatchObject({
      code: 1,
      error: expect.stringContaining('quillgate.config.ts'),
    })
  })

  it('writes errors as JSON if the report is JSON', async () => {
    const errorOf = async (...args: string[]) => JSON.parse((await run([...args, '--json'])).error)
    expect(await errorOf('swep')).toEqual({
      error: { code: 'usage', message: expect.stringContaining('Use one of') },
    })
    expect(await errorOf('sweep')).toEqual({
      error: { code: 'failed', message: expect.stringContaining('quillgate.config.ts') },
    })
  })

  it('prints its help', async () => {
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('markdown-editor <command>'),
    })
  })
})
