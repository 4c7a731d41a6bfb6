import assert from 'node:assert/strict'
import { findMediaIds } from '../../../../markdown/src/media-urls/media-id.ts'
import type { RecordEntry } from '../../../src/media/references.ts'
import { idOf, ORIGIN, png } from '../../editor-fixture.ts'
import { withConnection } from './connections.ts'
import { StorageFault } from './paused-storage.ts'
import { csrf, type Person, visitor } from './people.ts'
import { ledgerField, readRecords } from './records.ts'
import { chosen, deleteOrphanedMedia, flip, personOf, save, saveDraft } from './saves.ts'
import type { Field, Step } from './steps.ts'
import { HOUR, type World } from './world.ts'

type Node = World['nodes'][number]
type StepOf<Name extends Step['do']> = Extract<Step, { do: Name }>

/** Rejects with any error that a caller must never get. */
export async function perform(world: World, step: Step, index: number): Promise<void> {
  world.facts.steps++
  const node = world.nodes[index % 2 === 0 ? 0 : 1]
  await world.pauses.pause()
  switch (step.do) {
    case 'upload':
      return upload(world, node, step)
    case 'finalize':
      return finalize(world, node, step)
    case 'save':
      return save(world, node, step)
    case 'flip':
      return flip(world, node, step)
    case 'draft':
      return saveDraft(world, node, step)
    case 'deleteOrphanedMedia':
      return deleteOrphanedMedia(world, node, step)
    case 'claim':
      return claim(world, node, step)
    case 'wait':
      return world.clock.advance(step.hours * HOUR)
    case 'remove':
    case 'restore':
    case 'get':
      return performOnFile(world, node, step)
    case 'sweep':
      return sweep(world, node)
    case 'rebuild':
      return rebuild(world, node)
    case 'check':
      return check(node)
    case 'fault':
      world.facts.isDisturbed = true
      return world.paused.failOnce()
  }
}

const STATUS = { good: 201, refused: 422, mislabeled: 415, empty: 400 } as const

async function upload(world: World, node: Node, { who, file }: StepOf<'upload'>): Promise<void> {
  const person = personOf(world, who)
  const bytes = {
    empty: new Uint8Array(0),
    mislabeled: Uint8Array.from(Buffer.from('<svg onload="x">')),
  }
  const content =
    file === 'empty' || file === 'mislabeled' ? bytes[file] : png(1 + (world.facts.steps % 90))
  const form = new FormData()
  form.append('file', new File([content], `${file}.png`, { type: 'image/png' }))
  const headers = new Headers(person?.headers)
  const request = new Request(ORIGIN + node.url('upload'), { method: 'POST', headers, body: form })
  const response = await node.fetch(request)
  const answer = await response.text()
  if (response.status === 413) return assert.notEqual(world.options.ownerQuota, null, answer)
  assert.equal(response.status, STATUS[file], `upload of a ${file} file: ${answer}`)
  if (response.status !== 201) return
  const { url } = JSON.parse(answer) as { url: string }
  world.facts.files.push({
    id: idOf(url),
    bytes: content,
    by: who,
    tempUrl: url,
    permanentUrl: null,
  })
}

async function finalize(
  world: World,
  node: Node,
  { who, files, times }: StepOf<'finalize'>,
): Promise<void> {
  const person = personOf(world, who, files) as Person
  const wanted = chosen(world, files)
  const text = wanted.map(({ tempUrl }) => `![a](${tempUrl})`).join('\n')
  const urls = new Map(wanted.map(({ id, tempUrl }) => [id, tempUrl]))
  const once = async (): Promise<void> => {
    const answer = await unlessFaulty(node.finalize(text, { owner: person.identity }))
    world.facts.finalizes.push({ person, urls, answer })
    for (const file of wanted) file.permanentUrl ??= answer?.replacements[file.tempUrl] ?? null
  }
  await Promise.all(Array.from({ length: times }, once))
}

/** Returns null if the storage failed. */
async function unlessFaulty<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StorageFault) return null
    throw error
  }
}

async function claim(world: World, node: Node, { session, user }: StepOf<'claim'>): Promise<void> {
  const index = 3 + session
  const [from, to] = [personOf(world, index), personOf(world, user)]
  if (!from || !to || !('session' in from.identity) || !('id' in to.identity)) return
  world.people[index] = visitor(csrf) // After a sign-in, the browser has a new session.
  for (const file of world.facts.files) if (file.by === index) file.by = user
  world.facts.claims.push({ from: from.owner, to: to.owner })
  await node.claim(new Request(ORIGIN, { headers: from.headers }), to.identity)
}

type SingleFileStep = 'remove' | 'restore' | 'get'

async function performOnFile(
  world: World,
  node: Node,
  step: StepOf<SingleFileStep>,
): Promise<void> {
  const [file] = chosen(world, [step.file])
  if (!file) return
  if (step.do === 'restore') return void (await node.media.restore(file.id))
  if (step.do === 'remove') {
    world.facts.removed.add(file.id)
    await node.media
      .remove(file.id, { actor: { label: 'moderation' } })
      .catch((error: { code?: string }) => {
        if (error.code !== 'media_in_use') throw error
      })
    return
  }
  const response = await node.fetch(new Request(ORIGIN + (file.permanentUrl ?? file.tempUrl)))
  const body = Buffer.from(await response.arrayBuffer())
  assert.ok(
    [200, 302, 404].includes(response.status),
    `${file.id} is answered with ${response.status}`,
  )
  if (response.status === 404) world.facts.notFound.add(file.id)
  if (response.status === 200)
    assert.ok(body.equals(file.bytes), `${file.id} is served with other bytes`)
}

async function sweep(world: World, node: Node): Promise<void> {
  const report = await node.sweep()
  assert.equal(report.stopped, null)
  if (!world.facts.isDisturbed) assert.equal(report.failed, 0, 'a sweep failed')
}

async function rebuild(world: World, node: Node): Promise<void> {
  const entries = async function* (): AsyncGenerator<RecordEntry> {
    const records = await withConnection(world.application, readRecords)
    for (const { type, id, texts, writer } of records) {
      for (const [field, text] of Object.entries(texts)) {
        for (const mention of findMediaIds(text)) {
          world.facts.rebuilt.add([mention, type, id, ledgerField(type, field as Field)].join('/'))
        }
      }
      await world.pauses.pause()
      const person = world.people.find(({ owner }) => owner === writer)
      yield {
        type,
        id,
        texts: type === 'post' ? texts : texts.body,
        ...(person ? { actor: person.identity } : {}),
      }
    }
  }
  await node.references.rebuild(entries())
}

/** Ignores strays, which are possible while other steps are running. */
async function check(node: Node): Promise<void> {
  const { damaged, dangling, stopped } = await node.check()
  assert.deepEqual(
    { damaged: damaged.items, dangling: dangling.items, stopped },
    { damaged: [], dangling: [], stopped: null },
  )
}
