import assert from 'node:assert/strict'
import type { MediaState } from '../../../src/media/ledger/medium.ts'
import type { Transition } from './history.ts'
import { GRACES, type World } from './world.ts'

/** The arrows of `medium.ts`, and the ways into the ledger (null). */
const ARROWS: ReadonlyMap<MediaState | null, readonly MediaState[]> = new Map([
  [null, ['uploading']],
  ['uploading', ['temporary', 'deleting']],
  ['temporary', ['promoting', 'deleting']],
  ['promoting', ['permanent', 'deleting']],
  ['permanent', ['orphaned', 'deleting']],
  ['orphaned', ['permanent', 'deleting']],
  ['deleting', ['deleted']],
])

/** Every change of a row is one that may be, and none comes before its time. */
export function assertArrow(world: World, transition: Transition): void {
  const { id, from, to, key, keyFrom } = transition
  const place = `${id} went from ${from} to ${to}: ${JSON.stringify(transition)}`
  if (from === to) assert.notEqual(transition.ownerFrom, transition.owner, place)
  else assert.ok(ARROWS.get(from)?.includes(to), place)
  if (keyFrom !== null) assert.equal(key, keyFrom, place)
  if (to === 'permanent') assert.notEqual(key, null, place)
  if (transition.ownerFrom !== null && transition.ownerFrom !== transition.owner) {
    assert.match(transition.ownerFrom, /^anon:/, place)
    assert.match(transition.owner, /^user:/, place)
  }
  if (to === 'orphaned' && from !== to) assertOrphaned(world, transition, place)
  if (to === 'deleting' && from !== to) assertDeleting(world, transition, place)
}

function assertOrphaned(
  { facts, options }: World,
  { id, reason, actor, wasReferenced }: Transition,
  place: string,
): void {
  // Without a grace only the sweep, which orphans first and then drops what is over.
  assert.ok(options.orphanGrace > 0 || actor === 'sweep', place)
  assert.ok(actor, `without an actor: ${place}`)
  if (reason === 'orphaned') assert.ok(wasReferenced, `never saved: ${place}`)
  else assert.ok(reason === 'removed' && facts.removed.has(id), place)
}

function assertDeleting(world: World, transition: Transition, place: string): void {
  const { reason, actor } = transition
  assert.ok(actor || reason === 'upload_failed', `without an actor: ${place}`)
  assert.ok(mayLeave(world, transition), `too early, or not to be deleted: ${place}`)
}

function mayLeave({ facts, options }: World, transition: Transition): boolean {
  const { id, from, reason, at } = transition
  const isOver = (since: number | null, grace: number): boolean =>
    since !== null && at - since >= grace * 1000
  const isOrphanOver = from === 'orphaned' && isOver(transition.orphanedAt, options.orphanGrace)
  switch (reason) {
    case 'upload_failed':
      return from === 'uploading'
    case 'expired':
      return from === 'temporary' && isOver(transition.createdAt, GRACES.tempMaxAge)
    case 'unsaved':
      // Where the storage failed, and nobody tried again; its bytes being lost is what must never happen.
      if (from === 'promoting')
        return facts.isDisturbed && isOver(transition.createdAt, GRACES.unsavedGrace)
      return (
        from === 'permanent' &&
        !transition.wasReferenced &&
        isOver(transition.finalizedAt, GRACES.unsavedGrace)
      )
    case 'orphaned':
      return (
        isOrphanOver || facts.atOnce.has(id) || (from === 'permanent' && options.orphanGrace === 0)
      )
    case 'removed':
      // Those in the trash may be asked for once more, by `deleteOrphanedMedia`.
      return (
        isOrphanOver ||
        facts.atOnce.has(id) ||
        (facts.removed.has(id) && (from === 'temporary' || options.orphanGrace === 0))
      )
    default:
      return false
  }
}
