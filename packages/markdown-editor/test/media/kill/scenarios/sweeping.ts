import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Application } from '../application.ts'
import { MortalProcess } from '../failpoints/mortal-process.ts'
import type { Installation } from '../installation.ts'
import { bootApplication, type Memory, mediaIdOf } from '../memory.ts'
import { ADA, DAY, type Scenario } from './scenario.ts'

export const sweeping: readonly Scenario[] = [
  {
    name: 'sweep of expired, unsaved and orphaned files',
    orphanGrace: DAY,
    prepare: prepareOutlived,
    run: sweep,
    retry: sweep,
  },
  {
    name: 'sweep of interrupted work',
    orphanGrace: 0,
    prepare: prepareInterrupted,
    run: sweep,
    retry: sweep,
  },
  {
    name: 'two sweeps and a concurrent save',
    orphanGrace: 0,
    async prepare(application, memory, installation) {
      memory.text = await memory.permanentText(application, ADA, 1)
      await application.save(ADA, { id: 1, body: memory.text })
      await memory.permanentText(application, ADA, 1) // Becomes an unsaved file.
      installation.clock.advance(10 * DAY * 1000)
      memory.other = await memory.uploadText(application, ADA, 1)
    },
    async run(application, memory) {
      const save = application.save(ADA, { id: 1, body: `${memory.text}\n${memory.other}` })
      await Promise.all([application.editor.sweep(), save, application.editor.sweep()])
    },
    retry: (application, memory) => application.save(ADA, { id: 1, body: memory.other }),
  },
]

async function sweep({ editor }: Application): Promise<void> {
  await editor.sweep()
}

/** Creates one file that a post references, and one file for each expired grace period. */
async function prepareOutlived(
  application: Application,
  memory: Memory,
  installation: Installation,
): Promise<void> {
  await memory.upload(application, ADA) // Expires.
  const saved = await memory.permanentText(application, ADA, 1)
  await application.save(ADA, {
    id: 1,
    body: `${saved}\n${await memory.permanentText(application, ADA, 1)}`,
  })
  await application.save(ADA, { id: 1, body: saved }) // Orphans the other file.
  await memory.permanentText(application, ADA, 1) // Becomes an unsaved file.
  installation.clock.advance(10 * DAY * 1000)
}

/** Interrupts an upload, two promotions and a deletion, and adds a file without a ledger row. */
async function prepareInterrupted(
  application: Application,
  memory: Memory,
  installation: Installation,
): Promise<void> {
  await interrupt(installation, 'storage.write: a chunk', async (killed) => {
    await memory.upload(killed, ADA)
  })
  await interrupt(installation, 'storage.copy', async (killed) => {
    await memory.permanentText(killed, ADA, 1)
  })
  await interrupt(installation, 'storage.remove', async (killed) => {
    await killed.editor.media.remove(mediaIdOf(await memory.upload(killed, ADA)))
  })
  const waiting = await memory.uploadText(application, ADA, 1)
  await application.save(ADA, { id: 1, body: waiting })
  await interrupt(installation, 'storage.copy', async (killed) => {
    await killed.finalize(ADA, waiting)
  })
  await writeFile(
    join(installation.directory, 'md-editor/tmp/m00000000000000000000000000-stray.png'),
    'stray',
  )
  installation.clock.advance(10 * DAY * 1000)
}

/** Runs work in a process that dies before its first call of the given name. */
async function interrupt(
  installation: Installation,
  name: string,
  work: (killed: Application) => Promise<void>,
): Promise<void> {
  const process = new MortalProcess({ name })
  const killed = await bootApplication(installation, process)
  process.arm()
  work(killed).catch(() => {})
  await process.died
  await process.silent()
  killed.cut()
  process.release()
}
