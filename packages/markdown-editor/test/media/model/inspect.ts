import assert from 'node:assert/strict'
import type { Medium } from '../../../src/media/ledger/medium.ts'
import { ORIGIN } from '../../editor-fixture.ts'
import { mayDecide } from './people.ts'
import { assertTransition } from './transitions.ts'
import { mediaIn, type View, viewOf } from './view.ts'
import type { World } from './world.ts'

/**
 * Checks ledger, storage and answers while no step is running. Rejects at the first violation.
 *
 * @param before the view of the previous inspection
 */
export async function inspect(world: World, before: View | null): Promise<View> {
  const view = await viewOf(world, before?.lastTransition ?? 0)
  for (const transition of view.transitions) assertTransition(world, transition)
  assertReferences(world, view)
  assertMissing(world, before, view)
  assertFinalized(world, before, view)
  assertOrphans(world, view)
  assertQuota(world, before, view)
  assertHooks(world, view)
  await assertStorage(world, view)
  await assertServed(world, view)
  if (!world.facts.isDisturbed) assert.deepEqual(world.errors, [], 'the editor logged errors')
  world.facts.finalizes.length = 0
  world.facts.missing.clear()
  world.facts.notFound.clear()
  world.facts.claims.length = 0
  return view
}

/** Asserts that the ledger has exactly the committed references, and perhaps `rebuilt` ones. */
function assertReferences(world: World, { media, references, mentions }: View): void {
  const { rebuilt } = world.facts
  for (const mention of mentions) {
    const state = media.get(mediaIn(mention))?.state
    assert.ok(ALIVE.includes(state), `${mention} is in a committed text, but its file is ${state}`)
    assert.ok(references.has(mention), `${mention} is in a committed text, but not in the ledger`)
  }
  for (const reference of references) {
    if (mentions.has(reference) || rebuilt.has(reference)) continue
    assert.fail(`the ledger contains ${reference}, which no committed text mentions`)
  }
  for (const reference of rebuilt) if (!references.has(reference)) rebuilt.delete(reference)
}

/**
 * Asserts that each file that was reported as missing or not found was absent at some time since
 * the previous inspection.
 */
function assertMissing({ facts }: World, before: View | null, { media, transitions }: View): void {
  const left = new Set(
    transitions.flatMap(({ id, from, to }) => (from !== to && !ALIVE.includes(to) ? [id] : [])),
  )
  for (const id of new Set([...facts.missing, ...facts.notFound])) {
    const wasThere = !left.has(id) && ALIVE.includes(before?.media.get(id)?.state)
    const state = media.get(id)?.state
    assert.ok(
      !wasThere,
      `${id} was ${facts.missing.has(id) ? 'reported missing' : 'not found'}, but it is ${state}`,
    )
  }
}

/** Asserts that people can finalize the files that they own or manage, and no others. */
function assertFinalized(world: World, before: View | null, { media, transitions }: View): void {
  const { finalizes } = world.facts
  const ownersOf = (id: string): string[] => {
    const changes = transitions.filter((transition) => transition.id === id)
    const owners = [
      before?.media.get(id)?.owner,
      ...changes.flatMap(({ ownerFrom, owner }) => [ownerFrom, owner]),
    ]
    return owners.filter((owner): owner is string => typeof owner === 'string')
  }
  for (const { id, from, to } of transitions) {
    if (from !== 'temporary' || to !== 'promoting') continue
    const isAllowed = finalizes.some(
      ({ person, urls }) =>
        urls.has(id) && ownersOf(id).some((owner) => mayDecide(person.owner, owner)),
    )
    assert.ok(isAllowed, `${id} was promoted for another person than its owner`)
  }
  for (const { person, urls, answer } of finalizes) {
    for (const [id, url] of answer ? urls : []) {
      const rights = ownersOf(id).map((owner) => mayDecide(person.owner, owner))
      const isReplaced = answer?.replacements[url] !== undefined
      assert.equal(
        answer?.missing.includes(url),
        !isReplaced,
        `${url} is neither replaced nor missing, or both`,
      )
      assert.equal(
        answer?.text.includes(url),
        !isReplaced,
        `${url} is not rewritten as it was answered`,
      )
      if (isReplaced)
        assert.ok(
          rights.includes(true),
          `${url} was finalized for ${person.owner}, who has no right to it`,
        )
      else {
        const isAlive = ALIVE.includes(media.get(id)?.state)
        assert.ok(
          rights.includes(false) || !isAlive,
          `${url} was not finalized for ${person.owner}, who owns it`,
        )
      }
    }
  }
}

function assertOrphans(world: World, { media, references }: View): void {
  const referenced = new Set([...references].map(mediaIn))
  for (const { id, state, referencedAt } of media.values()) {
    if (state !== 'permanent' || referencedAt === null || referenced.has(id))
      world.facts.unsettled.delete(id)
    else if (!world.facts.isDisturbed) {
      assert.ok(world.facts.unsettled.has(id), `${id} lost its last reference, but is no orphan`)
    }
  }
}

/** Asserts that only claims can exceed the quota of an owner. */
function assertQuota(world: World, before: View | null, view: View): void {
  const { ownerQuota } = world.options
  if (ownerQuota === null) return
  const { claims } = world.facts
  for (const owner of new Set([...view.media.values()].map((medium) => medium.owner))) {
    const claimed = claims
      .filter(({ to }) => to === owner)
      .reduce((sum, { from }) => sum + usage(view, before, from), 0)
    const limit = Math.max(ownerQuota, usage(before, null, owner)) + claimed
    assert.ok(
      usage(view, null, owner) <= limit,
      `${owner} has passed the quota: ${usage(view, null, owner)} bytes`,
    )
  }
}

/** Returns the bytes of an owner. With `before`, includes files that another owner now has. */
function usage(view: View | null, before: View | null, owner: string): number {
  const changed =
    view?.transitions
      .filter(({ ownerFrom }) => before && ownerFrom === owner)
      .map(({ id }) => id) ?? []
  return [...(view?.media.values() ?? [])]
    .filter(
      ({ id, owner: own, state }) => (own === owner || changed.includes(id)) && state !== 'deleted',
    )
    .reduce((sum, { size }) => sum + (size ?? 0), 0)
}

function assertHooks({ facts }: World, { media, transitions }: View): void {
  const { deleted } = facts
  for (const { id, from, to } of transitions) {
    if (from === 'deleting' && to === 'deleted') assert.ok(deleted.has(id), `onDeleted of ${id}`)
  }
  for (const id of deleted)
    assert.equal(media.get(id)?.state ?? 'deleted', 'deleted', `onDeleted of ${id}`)
}

async function assertStorage(world: World, { media, keys }: View): Promise<void> {
  const { isDisturbed } = world.facts
  const needed = [...media.values()].flatMap((medium) => keyOf(medium) ?? [])
  for (const key of needed) assert.ok(keys.has(key), `${key} is lost`)
  if (!isDisturbed) assert.deepEqual([...keys].sort(), needed.sort(), 'the objects in the storage')
  if (world.facts.inspections++ % 5 > 0) return
  const { damaged, dangling, strays } = await world.nodes[0].check()
  assert.deepEqual(damaged.items, [], 'damaged files')
  assert.deepEqual(dangling.items, [], 'dangling references')
  if (!isDisturbed) assert.deepEqual(strays.items, [], 'objects that no file needs')
}

function keyOf({ state, key, tempKey }: Medium): string | null {
  if (state === 'temporary' || state === 'promoting') return tempKey
  return state === 'permanent' || state === 'orphaned' ? key : null
}

async function assertServed(world: World, { media, transitions }: View): Promise<void> {
  for (const id of new Set(transitions.map((transition) => transition.id))) {
    const file = world.facts.files.find((each) => each.id === id)
    if (!file) continue // The upload was rejected.
    const medium = media.get(id)
    const isAlive = ALIVE.includes(medium?.state)
    const isPermanent = isAlive && medium?.state === 'permanent'
    const temporary = await get(world, file.tempUrl)
    assert.equal(
      temporary.status,
      isPermanent ? 302 : isAlive ? 200 : 404,
      `${file.tempUrl} is ${medium?.state}`,
    )
    const url = isPermanent ? temporary.headers.get('location') : file.tempUrl
    if (isPermanent && file.permanentUrl) assert.equal(url, file.permanentUrl)
    if (!isAlive && file.permanentUrl)
      assert.equal((await get(world, file.permanentUrl)).status, 404, 'a deleted file is served')
    if (!isAlive || url === null) continue
    const answer = isPermanent ? await get(world, url) : temporary
    assert.ok(
      Buffer.from(await answer.arrayBuffer()).equals(file.bytes),
      `${url} is served with other bytes`,
    )
  }
}

function get(world: World, url: string): Promise<Response> {
  return world.nodes[1].fetch(new Request(ORIGIN + url))
}

const ALIVE: readonly (Medium['state'] | undefined)[] = ['temporary', 'promoting', 'permanent']
