import { png } from '../../../editor-fixture.ts'
import { textOf } from '../memory.ts'
import { ADA, assert, DAY, GRACE, publish, type Scenario } from './scenario.ts'

export const uploads: readonly Scenario[] = [
  {
    name: 'start',
    isNew: true,
    orphanGrace: 0,
    run: async ({ editor }) => editor.ready(),
    async retry(application, memory) {
      await publish(application, await memory.uploadText(application, ADA, 1))
    },
  },
  {
    name: 'upload',
    orphanGrace: DAY,
    async run(application, memory) {
      await memory.upload(application, ADA)
    },
    async retry(application, memory) {
      await publish(application, await memory.uploadText(application, ADA, 1))
    },
  },
  {
    name: 'upload, finalize and save',
    orphanGrace: 0,
    async run(application, memory) {
      await publish(application, await memory.uploadText(application, ADA, 1))
    },
    // All confirmed files must still exist.
    retry: (application, memory) =>
      publish(application, textOf([...memory.files.values()].map(({ url }) => url))),
  },
  {
    name: 'two concurrent uploads',
    orphanGrace: 0,
    async run(application, memory) {
      await Promise.all([memory.upload(application, ADA), memory.upload(application, GRACE)])
    },
  },
  {
    name: 'a rejected upload',
    orphanGrace: 0,
    maxUploadSize: 50_000,
    async run(application) {
      const refused = await application.upload(ADA, bigImage()).then(
        () => false,
        (error: unknown) => String(error).includes('413'),
      )
      assert(refused, 'A file over the limit should be refused.')
    },
  },
]

/** Creates an image that exceeds the size limit when half of it is stored. */
function bigImage(): Uint8Array {
  return Buffer.concat([
    png().subarray(0, 33),
    Buffer.from('00010000', 'hex'),
    Buffer.from('IDAT'),
    Buffer.alloc(65_536),
  ])
}
