import { describe, expect, it } from 'vitest'
import { type PreviewAnswer, servePreview } from '../../src/preview/serve-preview.ts'

describe('servePreview', () => {
  it('rejects a document that was not opened, and separates documents', async () => {
    const server = servePreview(() => ({ render: (text) => text }))
    const answers: PreviewAnswer[] = []
    const [first, second] = [1, 2].map(() => server((answer) => answers.push(answer)))
    await first?.({ text: 'ab' })
    expect(answers.splice(0)).toEqual([
      { type: 'failed', message: 'The first request for a preview has no settings.' },
    ])
    await first?.({ settings: { highlightLanguages: [] }, text: 'a' })
    await second?.({ settings: { highlightLanguages: [] }, text: 'c' })
    await first?.({ text: 'ab' })
    expect(answers).toMatchObject(
      ['a', 'c', 'ab'].map((html) => ({ type: 'patch', patch: { blocks: [{ html }] } })),
    )
  })
})
