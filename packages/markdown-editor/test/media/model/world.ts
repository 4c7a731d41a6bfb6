import {
  DefaultUploadHandler,
  type Storage,
  type UploadedFile,
  ValidationError,
} from '@quillgate/markdown-editor'
import type { TestEngine } from '@quillgate/server/testing'
import { createFakeClock, type FakeClock } from '@quillgate/server/testing'
import { memoryStorage } from '@quillgate/storage/testing'
import { createEditor, type TestMarkdownEditor } from '../../create-editor.ts'
import { type Connections, openConnections, withConnection } from './connections.ts'
import { type Facts, newFacts } from './facts.ts'
import { watchLedger } from './history.ts'
import { openPausedDatabase } from './paused-database.ts'
import { type PausedStorage, pausedStorage } from './paused-storage.ts'
import { createPauses, type Pauses } from './pauses.ts'
import { csrf, mayDecide, type Person, SECRET, signedIn, visitor } from './people.ts'
import { createRecords } from './records.ts'
import type { WorldOptions } from './steps.ts'

export const HOUR = 3_600_000

/** The grace periods of the editors in seconds. */
export const GRACES = { tempMaxAge: 86_400, unsavedGrace: 7 * 86_400 } as const

/** An application on its own connections, and two editors on one database and storage. */
export interface World {
  readonly options: WorldOptions
  readonly clock: FakeClock
  readonly pauses: Pauses
  readonly nodes: readonly [TestMarkdownEditor<{ id: string }>, TestMarkdownEditor<{ id: string }>]
  /** The storage of the nodes, with pauses and faults. */
  readonly paused: PausedStorage
  /** The underlying storage, without pauses and faults. */
  readonly storage: Storage
  readonly application: Connections
  /** Three users and two anonymous visitors. A new visitor replaces a visitor who signs in. */
  readonly people: Person[]
  readonly errors: string[]
  readonly facts: Facts
  close(): Promise<void>
}

export async function openWorld(engine: TestEngine, options: WorldOptions): Promise<World> {
  const { url, close } = await engine.open()
  const clock = createFakeClock()
  const pauses = createPauses(options.seed)
  const storage = memoryStorage({ clock })
  const paused = pausedStorage(storage, pauses)
  const errors: string[] = []
  const facts = newFacts()
  const closers: (() => Promise<void>)[] = [close]
  const connect = (to: string): Connections => {
    const connections = openConnections(engine.name, to, pauses, options.isFoundRows)
    closers.unshift(() => connections.close())
    return connections
  }
  const application = connect(url)
  const openNode = async (): Promise<TestMarkdownEditor<{ id: string }>> => {
    const database = openPausedDatabase(engine.name, url, pauses)
    const editor = createEditor<{ id: string }>({
      ...{ secret: SECRET, database: database.source, storage: paused.storage, clock },
      authenticate: ({ request }) => {
        const id = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
        return id === undefined ? null : { id }
      },
      canManage: (user, medium) => mayDecide(`user:${user.id}`, medium.owner),
      uploadHandler: new Censor(),
      onDeleted: ({ id }) => void facts.deleted.add(id),
      settings: {
        ...GRACES,
        orphanGrace: options.orphanGrace,
        ownerQuota: options.ownerQuota,
        sweepInterval: null, // Only steps start sweeps.
        uploadRateLimit: null,
        requireAuth: false,
      },
      logger: {
        warn: () => {},
        error: (message, cause) => void errors.push(`${message} ${String(cause)}`),
      },
    })
    closers.unshift(async () => {
      await editor.close()
      await database.close()
    })
    await editor.ready()
    return editor
  }
  const nodes = [await openNode(), await openNode()] as const
  await nodes[0].references.rebuild([]) // Allows the deletion of unsaved files.
  await withConnection(application, createRecords)
  await withConnection(application, watchLedger)
  const people = [signedIn('ada'), signedIn('grace'), signedIn('mod'), visitor(csrf), visitor(csrf)]
  return {
    ...{
      options,
      clock,
      pauses,
      nodes,
      paused,
      storage,
      application,
      people,
      errors,
      facts,
    },
    async close() {
      for (const each of closers) await each()
    },
  }
}

class Censor extends DefaultUploadHandler {
  override validate(file: UploadedFile): void {
    if (file.name.startsWith('refused')) throw new ValidationError('No.')
  }
}
