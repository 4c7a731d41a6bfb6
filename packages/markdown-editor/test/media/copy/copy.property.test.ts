import { createHash } from 'node:crypto'
import type { Storage } from '@quillgate/markdown-editor'
import { memoryStorage } from '@quillgate/storage/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyOfUrl, openEditor, png, type TestEditor } from '../../editor-fixture.ts'

const MARKER = 'quillgate-installation.txt'
const NEEDED = ['temporary', 'promoting', 'permanent', 'orphaned']

type Step =
  | {
      readonly do: 'upload' | 'finalize' | 'save' | 'drop' | 'remove' | 'copy' | 'damage' | 'lose'
      readonly n: number
    }
  | { readonly do: 'break'; readonly n: number }

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(
    'upload',
    'upload',
    'finalize',
    'save',
    'drop',
    'remove',
    'copy',
    'break',
    'damage',
    'lose',
  ),
  n: fc.nat({ max: 9 }),
}) as fc.Arbitrary<Step>

/** An editor, a storage that its media are copied to, and what a test knows of them. */
class World {
  readonly opened: TestEditor
  readonly target: Storage = memoryStorage()
  /** Present URLs by id. */
  readonly urls: Map<string, string> = new Map()

  constructor(opened: TestEditor) {
    this.opened = opened
  }

  async take(step: Step): Promise<void> {
    const { editor } = this.opened
    const [id = '', url = ''] = [...this.urls][step.n % Math.max(1, this.urls.size)] ?? []
    if (step.do === 'upload') return this.#upload(step.n)
    if (step.do === 'copy') return this.copyWhole()
    if (step.do === 'break') return this.#copyBroken(step.n)
    if (id === '') return
    if (step.do === 'finalize') {
      const { replacements } = await this.opened.finalize(`![](${url})`)
      this.urls.set(id, replacements[url] ?? url)
    }
    if (step.do === 'save') await editor.references.set({ type: 'post', id: step.n }, `![](${url})`)
    if (step.do === 'drop') await editor.references.remove({ type: 'post', id: step.n })
    if (step.do === 'remove') await editor.media.remove(id).catch(() => {}) // It may be in use.
    if (step.do === 'damage')
      await this.#replace(
        keyOfUrl(url),
        png(3).map((byte) => byte ^ 1),
      )
    if (step.do === 'lose') await this.target.remove(keyOfUrl(url))
  }

  /** What the ledger needs is there, byte by byte, and nothing else; then only may anything be deleted there. */
  async copyWhole(): Promise<void> {
    const report = await this.opened.editor.copyTo(this.target, { concurrency: 3 })
    expect(report).toMatchObject({
      complete: true,
      stopped: null,
      lost: { count: 0 },
      failed: { count: 0 },
    })
    const expected = new Map<string, string | null>()
    for (const id of this.urls.keys()) {
      const medium = await this.opened.editor.media.get(id)
      if (medium && NEEDED.includes(medium.state))
        expected.set(medium.key ?? medium.tempKey, medium.checksum)
    }
    expect(await checksums(this.target)).toEqual(new Map([...expected].sort()))
    expect(await this.target.stat(MARKER)).not.toBeNull()
  }

  /** A copy that ends at any point, as when it is killed. */
  async #copyBroken(after: number): Promise<void> {
    const before = await checksums(this.target)
    let files = 0
    const onProgress = (): void => {
      if (++files > after) throw new Error('killed')
    }
    const copying = this.opened.editor.copyTo(this.target, { concurrency: 1, onProgress })
    const ended = await copying.then(
      () => true,
      () => false,
    )
    const added = [...(await checksums(this.target))].some(([key, sum]) => before.get(key) !== sum)
    if (!ended && added) expect(await this.target.stat(MARKER)).toBeNull()
  }

  async #upload(n: number): Promise<void> {
    const { url } = await this.opened.upload('a.png', png(1 + (n % 3)))
    this.urls.set(/m[0-9a-z]{26}/.exec(url)?.[0] ?? '', url)
  }

  async #replace(key: string, bytes: Uint8Array): Promise<void> {
    if (await this.target.remove(key))
      await this.target.write(key, ReadableStream.from([bytes]), { type: 'image/png' })
  }
}

async function checksums(storage: Storage): Promise<Map<string, string>> {
  const found: [string, string][] = []
  for await (const { key } of storage.list('md-editor/')) {
    const stored = await storage.read(key)
    const bytes = stored ? Buffer.from(await new Response(stored.body).arrayBuffer()) : ''
    found.push([key, createHash('sha256').update(bytes).digest('hex')])
  }
  return new Map(found.sort())
}

describe('editor.copyTo', () => {
  it.each([0, 86_400])(
    'makes the target whole, whatever happened before (orphanGrace %i)',
    { timeout: 60_000 },
    async (orphanGrace) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const opened = await openEditor({ orphanGrace })
          try {
            const world = new World(opened)
            for (const next of steps) await world.take(next)
            await world.copyWhole()
          } finally {
            await opened.close()
          }
        }),
        { numRuns: 25 },
      )
    },
  )
})
