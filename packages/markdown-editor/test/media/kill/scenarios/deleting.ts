import type { Application } from '../application.ts'
import { type Memory, mediaIdOf, textOf, urlsOf } from '../memory.ts'
import { prepareChange } from './saving.ts'
import { ADA, assert, DAY, type Scenario } from './scenario.ts'

export const deleting: readonly Scenario[] = [
  {
    name: 'deleteOrphanedMedia',
    orphanGrace: DAY,
    prepare: prepareChange,
    run: saveAndDelete,
    async retry(application, memory) {
      await saveAndDelete(application, memory)
      for (const url of urlsOf(memory.other)) {
        const { status } = await application.get(url)
        assert(status === 404, `${url} should be gone, and is ${status}.`)
      }
    },
  },
  {
    name: 'media.remove and media.restore',
    orphanGrace: DAY,
    async prepare(application, memory) {
      memory.text = await memory.permanentText(application, ADA, 2)
      memory.urls = [...urlsOf(memory.text), await memory.upload(application, ADA)]
    },
    async run({ editor }, memory) {
      const [first = '', second = '', third = ''] = memory.urls.map(mediaIdOf)
      await editor.media.remove(first)
      await editor.media.restore(first)
      await editor.media.remove(second)
      await editor.media.remove(third)
    },
    async retry(application, memory) {
      const [first = '', , third = ''] = memory.urls.map(mediaIdOf)
      const { media } = application.editor
      await media.remove(third)
      await media.restore(first)
      await application.save(ADA, { id: 1, body: textOf(memory.urls.slice(0, 1)) })
    },
  },
]

/** Deletes both files of the post immediately, without a grace period. */
async function saveAndDelete(application: Application, memory: Memory): Promise<void> {
  await application.save(ADA, { id: 1, body: '' })
  await application.editor.deleteOrphanedMedia(memory.other, '', { actor: { id: ADA } })
}
