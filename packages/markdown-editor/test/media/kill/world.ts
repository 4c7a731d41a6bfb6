import { copyFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dialect } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { pathOf } from '../../orm/better-sqlite.ts'
import { startApplication } from './application.ts'
import { MARKER, type Place, type PlaceSettings, placeAt } from './place.ts'

/** A ground on which trials find their places; on SQLite several at once. */
export interface Ground {
  readonly engine: Dialect
  fresh(settings: PlaceSettings): Promise<Stay>
  /** A place just like one that no process uses now. Servers cannot copy theirs: null. */
  copyOf(place: Place): Promise<Stay | null>
  close(): Promise<void>
}

/** A place for the time of one trial. */
export interface Stay {
  readonly place: Place
  leave(): Promise<void>
}

/** Makes a ground: tables and marker are made once, and copied or emptied for each trial. */
export async function openGround(engine: TestEngine): Promise<Ground> {
  const root = await mkdtemp(join(tmpdir(), 'quillgate-kill-'))
  const opened = await engine.open()
  const template = placeAt(engine.name, opened.url, join(root, 'template'), { orphanGrace: 0 })
  await preparePlace(template)
  let count = 0

  const openDatabase = async (directory: string, isNew: boolean) => {
    if (engine.name === 'sqlite')
      return { url: `sqlite:${join(directory, 'app.sqlite')}`, close: async () => {} }
    if (isNew) return engine.open()
    await empty(opened.database)
    return { url: opened.url, close: async () => {} }
  }
  const newStay = async (settings: PlaceSettings, original?: Place): Promise<Stay> => {
    const directory = join(root, String(count++))
    await mkdir(directory)
    const { url, close } = await openDatabase(directory, settings.isNew === true)
    return {
      place: placeAt(engine.name, url, join(directory, 'media'), settings, original),
      async leave() {
        await close()
        await rm(directory, { recursive: true, force: true })
      },
    }
  }

  return {
    engine: engine.name,
    async fresh(settings) {
      const stay = await newStay(settings)
      const { directory, url } = stay.place
      if (settings.isNew) return stay
      await mkdir(directory)
      await copyFile(join(template.directory, MARKER), join(directory, MARKER))
      if (engine.name === 'sqlite') await copyFile(pathOf(opened.url), pathOf(url))
      return stay
    },
    async copyOf(original) {
      if (engine.name !== 'sqlite') return null
      const stay = await newStay(original, original)
      await cp(original.directory, stay.place.directory, { recursive: true })
      await copyFile(pathOf(original.url), pathOf(stay.place.url))
      return stay
    },
    async close() {
      await opened.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Makes the tables of the editor and the application in a new place. */
export async function preparePlace(place: Place): Promise<void> {
  const application = startApplication(place)
  await application.editor.ready()
  await createPosts(application.database)
  await application.editor.references.rebuild([]) // There are none yet; so unsaved files may go from the start.
  await application.close()
}

/** Makes the application's own table. */
export async function createPosts(
  database: ReturnType<typeof startApplication>['database'],
): Promise<void> {
  const text = database.dialect === 'mariadb' ? 'LONGTEXT' : 'TEXT'
  const executor = database.executor(database.kysely)
  await executor.execute(
    `CREATE TABLE IF NOT EXISTS app_post (id INTEGER PRIMARY KEY, body ${text} NOT NULL)`,
  )
}

async function empty(database: ReturnType<typeof startApplication>['database']): Promise<void> {
  const executor = database.executor(database.kysely)
  for (const table of ['quillgate_media', 'quillgate_media_reference', 'app_post']) {
    await executor.execute(`DELETE FROM ${table}`)
  }
}
