import { copyFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dialect } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { pathOf } from '../../orm/better-sqlite.ts'
import { startApplication } from './application.ts'
import {
  createInstallation,
  type Installation,
  type InstallationSettings,
  MARKER,
} from './installation.ts'

/** On SQLite, several installations can be used concurrently. */
export interface InstallationPool {
  readonly engine: Dialect
  fresh(settings: InstallationSettings): Promise<PooledInstallation>
  /** Copies an installation that no process is using. Returns null on a database server. */
  copyOf(installation: Installation): Promise<PooledInstallation | null>
  close(): Promise<void>
}

export interface PooledInstallation {
  readonly installation: Installation
  remove(): Promise<void>
}

/**
 * Creates the tables and the marker object once. Each trial gets a copy of the marker and of an
 * SQLite database. On a database server, the tables are emptied. A trial with `isNew` gets neither
 * tables nor marker.
 */
export async function openInstallationPool(engine: TestEngine): Promise<InstallationPool> {
  const root = await mkdtemp(join(tmpdir(), 'quillgate-kill-'))
  const opened = await engine.open()
  const template = createInstallation(engine.name, opened.url, join(root, 'template'), {
    orphanGrace: 0,
  })
  await prepareInstallation(template)
  let count = 0

  const openDatabase = async (directory: string, isNew: boolean) => {
    if (engine.name === 'sqlite')
      return { url: `sqlite:${join(directory, 'app.sqlite')}`, close: async () => {} }
    if (isNew) return engine.open()
    await empty(opened.database)
    return { url: opened.url, close: async () => {} }
  }
  const newPooled = async (
    settings: InstallationSettings,
    original?: Installation,
  ): Promise<PooledInstallation> => {
    const directory = join(root, String(count++))
    await mkdir(directory)
    const { url, close } = await openDatabase(directory, settings.isNew === true)
    return {
      installation: createInstallation(
        engine.name,
        url,
        join(directory, 'media'),
        settings,
        original,
      ),
      async remove() {
        await close()
        await rm(directory, { recursive: true, force: true })
      },
    }
  }

  return {
    engine: engine.name,
    async fresh(settings) {
      const pooled = await newPooled(settings)
      const { directory, url } = pooled.installation
      if (settings.isNew) return pooled
      await mkdir(directory)
      await copyFile(join(template.directory, MARKER), join(directory, MARKER))
      if (engine.name === 'sqlite') await copyFile(pathOf(opened.url), pathOf(url))
      return pooled
    },
    async copyOf(original) {
      if (engine.name !== 'sqlite') return null
      const pooled = await newPooled(original, original)
      await cp(original.directory, pooled.installation.directory, { recursive: true })
      await copyFile(pathOf(original.url), pathOf(pooled.installation.url))
      return pooled
    },
    async close() {
      await opened.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

export async function prepareInstallation(installation: Installation): Promise<void> {
  const application = startApplication(installation)
  await application.editor.ready()
  await createPosts(application.database)
  await application.editor.references.rebuild([]) // Allows the deletion of unsaved files.
  await application.close()
}

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
