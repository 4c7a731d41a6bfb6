import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Fault, FaultyS3 } from '../../../../storage/test/s3/faulty-s3.ts'
import type { S3Operation } from '../../../../storage/test/s3/s3-wire.ts'
import { keyOfUrl, openEditor, png, type TestEditor } from '../../editor-fixture.ts'

interface Step {
  readonly action: 'upload' | 'finalize' | 'save' | 'clear' | 'sweep'
  readonly post: number
  readonly faults: readonly (readonly [S3Operation, Fault[]])[]
}

const day = 86_400_000
const operations = [
  'HeadObject',
  'GetObject',
  'PutObject',
  'CopyObject',
  'DeleteObject',
  'ListObjectsV2',
] as const
const faults = fc.constantFrom<Fault>('error', 'drop', 'lost')
const steps: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(
    'upload',
    'upload',
    'finalize',
    'finalize',
    'save',
    'save',
    'clear',
    'sweep',
  ),
  post: fc.nat(1),
  faults: fc.array(
    fc.tuple(
      fc.constantFrom<S3Operation>(...operations),
      fc.array(faults, { minLength: 1, maxLength: 5 }),
    ),
    { maxLength: 3 },
  ),
})

class World {
  readonly #service: FaultyS3
  readonly #opened: TestEditor
  readonly #drafts = ['', '']
  readonly #saved = ['', '']
  readonly #images = new Map<string, Uint8Array<ArrayBuffer>>()
  #time = 0

  private constructor(service: FaultyS3, opened: TestEditor) {
    this.#service = service
    this.#opened = opened
  }

  static async open(): Promise<World> {
    const service = await FaultyS3.start()
    let world: World | undefined
    const now = (): number => Date.now() + (world ? world.#time : 0)
    const options = { storage: service.storage({ clock: now }), clock: now }
    world = new World(service, await openEditor({ unsavedGrace: 7 * 86_400 }, options))
    // Unsaved files are deleted only if the references of all records are known.
    await world.#opened.editor.references.rebuild([])
    return world
  }

  async run({ action, post, faults: list }: Step): Promise<void> {
    for (const [operation, sequence] of list) this.#service.next(operation, ...sequence)
    // An action can fail. At the end, exactly the files of the saved posts must be stored.
    await this.#act(action, post).catch((error: unknown) => {
      expect(String(error)).toMatch(/storage cannot be used|^Error: 503 /)
    })
    this.#service.heal()
  }

  async end(): Promise<void> {
    this.#time += 30 * day
    const { editor, get } = this.#opened
    await editor.sweep()
    const urls = this.#saved.join('\n').match(/\/media\/[^)]+/g) ?? []
    for (const url of urls) {
      const response = await get(url)
      expect(response.status).toBe(200)
      const id = /m[0-9a-z]{26}/.exec(url)?.[0] ?? ''
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(this.#images.get(id))
    }
    const kept = [...this.#service.memory.objects.keys()].filter((key) =>
      key.startsWith('md-editor/'),
    )
    expect(kept.sort()).toEqual([...new Set(urls)].map((url) => keyOfUrl(url)).sort())
    await editor.close()
    await this.#opened.storage.close?.()
    await this.#service.close()
  }

  async #act(action: Step['action'], post: number): Promise<void> {
    const { editor, upload, finalize } = this.#opened
    const draft = this.#drafts[post] ?? ''
    if (action === 'upload') {
      const bytes = png(this.#images.size + 1)
      const { url } = await upload('a.png', bytes)
      this.#images.set(/m[0-9a-z]{26}/.exec(url)?.[0] ?? '', bytes)
      this.#drafts[post] = `${draft}![a](${url})\n`
    }
    if (action === 'finalize') {
      const { replacements } = await finalize(draft)
      const put = (text: string, [from, to]: [string, string]): string => text.replaceAll(from, to)
      this.#drafts[post] = Object.entries(replacements).reduce(put, draft)
    }
    if (action === 'sweep') await editor.sweep()
    if (action === 'clear') this.#drafts[post] = ''
    if (action === 'save' || action === 'clear') {
      // A client never submits a text with temporary files. This saves an empty text instead.
      const text = (this.#drafts[post] ?? '').includes('/tmp/') ? '' : (this.#drafts[post] ?? '')
      this.#drafts[post] = text
      this.#saved[post] = text
      await editor.references.set({ type: 'post', id: String(post) }, { body: text })
    }
  }
}

describe('an editor on a faulty S3 service', () => {
  it('keeps the files of saved posts, and no others', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 12 }), async (list) => {
        const world = await World.open()
        for (const step of list) await world.run(step)
        await world.end()
      }),
      { numRuns: 25 },
    )
  })
})
