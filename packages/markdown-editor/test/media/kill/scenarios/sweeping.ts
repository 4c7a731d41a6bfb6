import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Application } from '../application.ts'
import { MortalProcess } from '../failpoints/mortal-process.ts'
import { bootApplication, type Memory, mediaIdOf } from '../memory.ts'
import type { Place } from '../place.ts'
import { ADA, DAY, type Scenario } from './scenario.ts'

/** Sweeps, alone and beside others. */
export const sweeping: readonly Scenario[] = [
  {
    name: 'sweep of what has outlived its time',
    orphanGrace: DAY,
    prepare: prepareOutlived,
    run: sweep,
    retry: sweep,
  },
  {
    name: 'sweep of what was broken off',
    orphanGrace: 0,
    prepare: prepareInterrupted,
    run: sweep,
    retry: sweep,
  },
  {
    name: 'two sweeps and a save at once',
    orphanGrace: 0,
    async prepare(application, memory, place) {
      memory.text = await memory.permanentText(application, ADA, 1)
      await application.save(ADA, { id: 1, body: memory.text })
      await memory.permanentText(application, ADA, 1) // Will be unsaved.
      place.clock.advance(10 * DAY * 1000)
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

/** One file that is needed, and one for each grace that is over. */
async function prepareOutlived(
  application: Application,
  memory: Memory,
  place: Place,
): Promise<void> {
  await memory.upload(application, ADA) // Will have expired.
  const saved = await memory.permanentText(application, ADA, 1)
  await application.save(ADA, {
    id: 1,
    body: `${saved}\n${await memory.permanentText(application, ADA, 1)}`,
  })
  await application.save(ADA, { id: 1, body: saved }) // Leaves an orphan.
  await memory.permanentText(application, ADA, 1) // Will be unsaved.
  place.clock.advance(10 * DAY * 1000)
}

/** Files whose upload, promotion or deletion was killed, one that no row knows, and a promotion that a record waits for. */
async function prepareInterrupted(
  application: Application,
  memory: Memory,
  place: Place,
): Promise<void> {
  await interrupt(place, 'storage.write: a chunk', async (killed) => {
    await memory.upload(killed, ADA)
  })
  await interrupt(place, 'storage.copy', async (killed) => {
    await memory.permanentText(killed, ADA, 1)
  })
  await interrupt(place, 'storage.remove', async (killed) => {
    await killed.editor.media.remove(mediaIdOf(await memory.upload(killed, ADA)))
  })
  const waiting = await memory.uploadText(application, ADA, 1)
  await application.save(ADA, { id: 1, body: waiting })
  await interrupt(place, 'storage.copy', async (killed) => {
    await killed.finalize(ADA, waiting)
  })
  await writeFile(
    join(place.directory, 'md-editor/tmp/m00000000000000000000000000-stray.png'),
    'stray',
  )
  place.clock.advance(10 * DAY * 1000)
}

/** Does something in a process that dies in front of its first call of this name. */
async function interrupt(
  place: Place,
  name: string,
  work: (killed: Application) => Promise<void>,
): Promise<void> {
  const process = new MortalProcess({ name })
  const killed = await bootApplication(place, process)
  process.arm()
  work(killed).catch(() => {})
  await process.died
  await process.silent()
  killed.cut()
  process.release()
}
