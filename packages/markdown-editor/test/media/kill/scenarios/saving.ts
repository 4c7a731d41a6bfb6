import { type Application, ignoreRollback, rollBack } from '../application.ts'
import { type Memory, textOf, urlsOf } from '../memory.ts'
import { ADA, assert, DAY, publish, type Scenario } from './scenario.ts'

export const saving: readonly Scenario[] = [
  {
    name: 'save: insert',
    orphanGrace: DAY,
    async prepare(application, memory) {
      memory.text = await memory.permanentText(application, ADA, 2)
    },
    run: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
    retry: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
  },
  {
    name: 'save: a text that was not finalized',
    orphanGrace: 0,
    async prepare(application, memory) {
      memory.text = await memory.uploadText(application, ADA, 1)
    },
    run: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
    retry: (application, memory) => publish(application, memory.text),
  },
  saveOfChange(0),
  saveOfChange(DAY),
  {
    name: 'save: rollback',
    orphanGrace: 0,
    prepare: prepareChange,
    run: (application, memory) =>
      application.save(ADA, { id: 1, body: memory.text }, rollBack).catch(ignoreRollback),
    async retry(application, memory) {
      const [post] = await application.posts()
      assert(
        post?.body === memory.other,
        'A save that was rolled back should have changed nothing.',
      )
    },
  },
  {
    name: 'delete of a record',
    orphanGrace: 0,
    async prepare(application, memory) {
      await prepareChange(application, memory)
      memory.urls = urlsOf(memory.other)
      await application.save(ADA, { id: 2, body: textOf(memory.urls.slice(0, 1)) })
    },
    run: (application) => application.removePost(ADA, 1),
    retry: (application) => application.removePost(ADA, 1),
  },
]

/** Saves post 1 with two files, and prepares a text without the first but with a third file. */
export async function prepareChange(application: Application, memory: Memory): Promise<void> {
  memory.other = await memory.permanentText(application, ADA, 2)
  const added = await memory.permanentText(application, ADA, 1)
  await application.save(ADA, { id: 1, body: memory.other })
  memory.text = textOf([...urlsOf(memory.other).slice(1), ...urlsOf(added)])
}

function saveOfChange(orphanGrace: number): Scenario {
  return {
    name: `save: change, orphanGrace ${orphanGrace}`,
    orphanGrace,
    prepare: prepareChange,
    run: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
    retry: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
  }
}
