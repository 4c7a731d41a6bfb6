import { textOf, urlsOf } from '../memory.ts'
import { ADA, assert, DAY, GRACE, publish, type Scenario } from './scenario.ts'

const SESSION = new Request('https://example.com', { headers: { 'x-session': 's1' } })

export const finalizing: readonly Scenario[] = [
  {
    name: 'finalize',
    orphanGrace: DAY,
    async prepare(application, memory) {
      memory.text = await memory.uploadText(application, ADA, 2)
    },
    async run(application, memory) {
      await application.finalize(ADA, memory.text)
    },
    retry: (application, memory) => publish(application, memory.text),
  },
  {
    name: 'two concurrent finalizations',
    orphanGrace: 0,
    async prepare(application, memory) {
      memory.text = await memory.uploadText(application, ADA, 2)
    },
    async run(application, memory) {
      const [one, two] = await Promise.all([
        application.finalize(ADA, memory.text),
        application.finalize(ADA, memory.text),
      ])
      assert(
        one.text === two.text && one.missing.length === 0,
        'Concurrent calls should return the same.',
      )
    },
    retry: (application, memory) => publish(application, memory.text),
  },
  {
    name: 'finalize by the owner and by another user',
    orphanGrace: 0,
    async prepare(application, memory) {
      memory.text = await memory.uploadText(application, ADA, 1)
    },
    async run(application, memory) {
      const [hers] = await Promise.all([
        application.finalize(GRACE, memory.text),
        application.finalize(ADA, memory.text),
      ])
      assert(hers.missing.length === 1, 'Another user should finalize nothing.')
    },
    async retry(application, memory) {
      const { missing, text } = await application.finalize(GRACE, memory.text)
      assert(missing.length === 1 && text === memory.text, 'Another user should finalize nothing.')
      await publish(application, memory.text)
    },
  },
  {
    name: 'claim',
    orphanGrace: 0,
    async prepare(application, memory) {
      memory.urls = [
        await memory.upload(application, 'anon:s1', ADA),
        await memory.upload(application, 'anon:s2'),
      ]
    },
    async run({ editor }) {
      await editor.claim(SESSION, { id: ADA })
    },
    async retry(application, memory) {
      await application.editor.claim(SESSION, { id: ADA })
      const { text, missing } = await application.finalize(ADA, textOf(memory.urls))
      assert(
        missing.length === 1 && missing[0] === memory.urls[1],
        'Only the claimed file should be hers.',
      )
      await application.save(ADA, { id: 1, body: textOf(urlsOf(text).slice(0, 1)) })
    },
  },
]
