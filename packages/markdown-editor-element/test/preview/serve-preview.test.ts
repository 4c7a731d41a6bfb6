import { describe, expect, it } from 'vitest'
import { servePreview } from '../../src/preview/serve-preview.ts'

describe('servePreview', () => {
  it('answers for a document that it does not have, before and after it was there', async () => {
    const server = servePreview(() => ({ render: (text) => text }))
    const answers: unknown[] = []
    const ask = (request: Parameters<typeof server>[0]) =>
      server(request, (answer) => answers.push(answer))
    const failed = { type: 'failed', id: 7, message: 'The preview has no document 7.' }
    await ask({ type: 'render', id: 7, text: 'a' })
    expect(answers.splice(0)).toEqual([failed])
    await ask({ type: 'open', id: 7, settings: { highlightLanguages: [] } })
    await ask({ type: 'render', id: 7, text: 'a' })
    expect(answers.splice(0)).toMatchObject([
      { type: 'opened' },
      { type: 'patch', patch: { blocks: [{ html: 'a' }] } },
    ])
    await ask({ type: 'close', id: 7 })
    await ask({ type: 'render', id: 7, text: 'a' })
    expect(answers).toEqual([failed])
  })
})
