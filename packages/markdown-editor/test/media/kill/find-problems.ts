import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { toNumber } from '@quillgate/server/database'
import type { Application } from './application.ts'
import { type Installation, MARKER } from './installation.ts'
import { type Memory, mediaIdOf, urlsOf } from './memory.ts'

interface Row {
  readonly id: string
  readonly state: string
  readonly owner: string
  readonly key: string
  readonly checksum: string | null
  readonly orphanedAt: number
}

/** Checks all data after all grace periods and one sweep. @returns one sentence per problem */
export async function findProblems(
  installation: Installation,
  application: Application,
  memory: Memory,
): Promise<string[]> {
  const rows = await readLedger(application)
  const posts = await application.posts()
  const needed = new Set(posts.flatMap(({ body }) => urlsOf(body).map(mediaIdOf)))
  return [
    ...(await brokenUrls(
      application,
      memory,
      posts.flatMap(({ body }) => urlsOf(body)),
    )),
    ...unneededRows(installation, rows, needed),
    ...changedOwners(rows, memory),
    ...(await wrongFiles(installation, rows)),
    ...missedDeletions(installation, rows),
    ...(await checkProblems(application)),
  ]
}

async function brokenUrls(
  application: Application,
  memory: Memory,
  urls: readonly string[],
): Promise<string[]> {
  const problems: string[] = []
  for (const url of urls) {
    const known = memory.files.get(mediaIdOf(url))
    let response = await application.get(url)
    const location = response.headers.get('location')
    if (location !== null) response = await application.get(location)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200)
      problems.push(`A saved text references ${url}, which is ${response.status}.`)
    else if (!known?.bytes || !bytes.equals(known.bytes))
      problems.push(`${url} does not have the bytes uploaded.`)
  }
  return problems
}

function unneededRows(
  { clock, orphanGrace }: Installation,
  rows: readonly Row[],
  needed: ReadonlySet<string>,
): string[] {
  return rows
    .filter(({ id, state, orphanedAt }) => {
      if (state === 'deleted' || needed.has(id)) return false
      return !(state === 'orphaned' && orphanGrace > 0 && orphanedAt === clock())
    })
    .map(({ id, state }) => `The ledger still has ${id} as ${state}, and no record needs it.`)
}

function changedOwners(rows: readonly Row[], { files }: Memory): string[] {
  return rows
    .filter(({ id, owner }) => files.get(id)?.owners.includes(owner) === false)
    .map(({ id, owner }) => `${id} belongs to ${owner} now.`)
}

async function wrongFiles({ directory }: Installation, rows: readonly Row[]): Promise<string[]> {
  const wanted = new Map(
    rows.filter(({ state }) => state !== 'deleted').map((row) => [row.key, row]),
  )
  const problems: string[] = []
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const key = relative(directory, path)
    if (!entry.isFile() || key === MARKER) continue
    const row = wanted.get(key)
    wanted.delete(key)
    if (!row) problems.push(`Left on the disk: ${key}`)
    else if (
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex') !== row.checksum
    ) {
      problems.push(`The bytes of ${key} are not those of its checksum.`)
    }
  }
  return [...problems, ...[...wanted.keys()].map((key) => `Not on the disk: ${key}`)]
}

function missedDeletions({ deletedIds }: Installation, rows: readonly Row[]): string[] {
  return rows
    .filter(({ id, state }) => state === 'deleted' && !deletedIds.has(id))
    .map(({ id }) => `onDeleted was not called for ${id}.`)
}

async function checkProblems({ editor }: Application): Promise<string[]> {
  const { stopped, damaged, strays, dangling } = await editor.check()
  const found = { damaged: damaged.count, strays: strays.count, dangling: dangling.count }
  const isFine = stopped === null && Object.values(found).every((count) => count === 0)
  return isFine ? [] : [`check() finds ${JSON.stringify({ stopped, ...found })}.`]
}

async function readLedger({ database }: Application): Promise<Row[]> {
  const rows = await database.executor(database.kysely).query('SELECT * FROM quillgate_media')
  return rows.map((row) => {
    const state = String(row['state'])
    const isPermanent = ['permanent', 'orphaned'].includes(state)
    return {
      id: String(row['id']),
      state,
      owner: String(row['owner']),
      key: String(isPermanent ? row['permanent_key'] : row['temp_key']),
      checksum: row['checksum'] === null ? null : String(row['checksum']),
      orphanedAt: row['orphaned_at'] === null ? 0 : toNumber(row['orphaned_at']),
    }
  })
}
