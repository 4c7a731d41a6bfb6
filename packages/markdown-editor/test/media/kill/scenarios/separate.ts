import { ignoreRollback, rollBack } from '../application.ts'
import { urlsOf } from '../memory.ts'
import { prepareChange } from './saving.ts'
import { ADA, assert, DAY, publish, type Scenario } from './scenario.ts'

/** Records in another database than the ledger: saves that are announced by intents. */
export const separate: readonly Scenario[] = [
  {
    name: 'records in another database: insert',
    ...{ orphanGrace: DAY, isSeparate: true },
    async prepare(application, memory) {
      memory.text = await memory.permanentText(application, ADA, 1)
    },
    run: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
    retry: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
  },
  {
    name: 'records in another database: a text that was not finalized',
    ...{ orphanGrace: DAY, isSeparate: true },
    async prepare(application, memory) {
      memory.text = await memory.uploadText(application, ADA, 1)
    },
    run: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
    retry: (application, memory) => publish(application, memory.text),
  },
  {
    name: 'records in another database: change',
    ...{ orphanGrace: DAY, isSeparate: true },
    prepare: prepareChange,
    run: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
    retry: (application, memory) => application.save(ADA, { id: 1, body: memory.text }),
  },
  {
    name: 'records in another database: rollback',
    ...{ orphanGrace: DAY, isSeparate: true },
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
    name: 'records in another database: delete',
    ...{ orphanGrace: DAY, isSeparate: true },
    prepare: prepareChange,
    run: (application) => application.removePost(ADA, 1),
    retry: (application) => application.removePost(ADA, 1),
  },
  {
    name: 'records in another database: two saves of one record at once',
    ...{ orphanGrace: DAY, isSeparate: true },
    prepare: prepareChange,
    async run(application, memory) {
      const [first = ''] = urlsOf(memory.other)
      const saves = [memory.text, `![](${first})`].map((body) =>
        application.save(ADA, { id: 1, body }),
      )
      await Promise.all(saves)
    },
    retry: (application, memory) => application.save(ADA, { id: 1, body: memory.other }),
  },
]
