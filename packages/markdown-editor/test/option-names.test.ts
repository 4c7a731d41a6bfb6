import { ConfigurationError } from '@quillgate/server/core'
import { afterEach, describe, expect, it } from 'vitest'
import type { TestMarkdownEditor } from './create-editor.ts'
import { openEditor, png, type TestEditor } from './editor-fixture.ts'

const user = { id: 'ada' }
const record = { type: 'post', id: 1 }

const METHODS: readonly [
  method: string,
  before: readonly unknown[],
  options: object,
  wrong: string,
  meant: string,
][] = [
  ['sweep', [], { dryrun: true }, 'dryrun', 'dryRun'],
  ['check', [], { verfy: true }, 'verfy', 'verify'],
  ['finalize', ['x'], { owner: user, ownr: user }, 'ownr', 'owner'],
  ['deleteOrphanedMedia', ['', ''], { acter: user }, 'acter', 'actor'],
  ['references.set', [record, 'x'], { acter: user }, 'acter', 'actor'],
  ['references.remove', [record], { acter: user }, 'acter', 'actor'],
  ['references.settle', [[]], { acter: user }, 'acter', 'actor'],
  ['media.add', [new File(['x'], 'x.txt')], { owner: user, ownr: user }, 'ownr', 'owner'],
  ['media.list', [], { stat: 'orphaned' }, 'stat', 'state'],
  ['media.remove', ['x'], { acter: user }, 'acter', 'actor'],
]

/** Calls a method without type checks, as JavaScript does. */
function call(editor: TestMarkdownEditor, method: string, ...given: unknown[]): unknown {
  const [last = '', part] = method.split('.').reverse()
  const calls: object =
    part === 'references' ? editor.references : part === 'media' ? editor.media : editor
  return Reflect.apply(Reflect.get(calls, last), calls, given)
}

describe('the methods of an editor', () => {
  let opened: TestEditor | undefined
  const open = async (): Promise<TestMarkdownEditor> => {
    opened = await openEditor()
    return opened.editor as unknown as TestMarkdownEditor
  }

  afterEach(async () => {
    await opened?.close()
    opened = undefined
  })

  it.each(METHODS)(
    'refuses a misspelled option: %s',
    async (method, before, options, wrong, meant) => {
      const refused = call(await open(), method, ...before, options)
      await expect(refused).rejects.toThrow(ConfigurationError)
      await expect(refused).rejects.toThrow(new RegExp(`${method}\\.${wrong}.*${meant}`))
    },
  )

  it('deletes nothing in a sweep with a misspelled dryRun', async () => {
    const editor = await open()
    await opened?.upload('cat.png', png())
    opened?.clock.advance(365 * 86_400_000)
    await expect(call(editor, 'sweep', { dryrun: true })).rejects.toThrow('dryRun')
    expect(await opened?.storedKeys()).toHaveLength(1)
  })

  it.each([
    ['references.set', [record, 'x'], { actor: user }],
    ['references.set', [record, 'x'], { query() {} }],
    ['references.remove', [record], { executeQuery() {} }],
  ])(
    '%s rejects a value that is not an SqlExecutor, and says what to pass',
    async (method, before, tx) => {
      const refused = call(await open(), method, ...before, { tx })
      await expect(refused).rejects.toThrow(ConfigurationError)
      await expect(refused).rejects.toThrow(
        `${method}.tx must be an SqlExecutor: pass database.executor(trx) or the executor of your ORM`,
      )
    },
  )
})
