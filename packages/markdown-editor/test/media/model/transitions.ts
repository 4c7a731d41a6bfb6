import assert from 'node:assert/strict'
import type { MediaState } from '../../../src/media/ledger/medium.ts'
import type { Transition } from './history.ts'
import { GRACES, type World } from './world.ts'

/** The state transitions that `medium.ts` describes. Null stands for a file without a row. */
const TRANSITIONS: ReadonlyMap<MediaState | null, readonly MediaState[]> = new Map([
  [null, ['uploading']],
  ['uploading', ['temporary', 'deleting']],
  ['temporary', ['promoting', 'deleting']],
  ['promoting', ['permanent', 'deleting']],
  ['permanent', ['orphaned', 'deleting']],
  ['orphaned', ['permanent', 'deleting']],
  ['deleting', ['deleted']],
])

export function assertTransition(world: World, transition: Transition): void {
  const { id, from, to, key, keyFrom } = transition
  const message = `${id} went from ${from} to ${to}: ${JSON.stringify(transition)}`
  if (from === to) assert.notEqual(transition.ownerFrom, transition.owner, message)
  else assert.ok(TRANSITIONS.get(from)?.includes(to), message)
  if (keyFrom !== null) assert.equal(key, keyFrom, message)
  if (to === 'permanent') assert.notEqual(key, null, message)
  if (transition.ownerFrom !== null && transition.ownerFrom !== transition.owner) {
    assert.match(transition.ownerFrom, /^anon:/, message)
    assert.match(transition.owner, /^user:/, message)
  }
  if (to === 'orphaned' && from !== to) assertOrphaned(world, transition, message)
  if (to === 'deleting' && from !== to) assertDeleting(world, transition, message)
}

function assertOrphaned(
  { facts, options }: World,
  { id, reason, actor, wasReferenced }: Transition,
  message: string,
): void {
  // Without a grace period, only the sweep orphans files. It deletes them afterwards.
  assert.ok(options.orphanGrace > 0 || actor === 'sweep', message)
  assert.ok(actor, `without an actor: ${message}`)
  if (reason === 'orphaned') assert.ok(wasReferenced, `never saved: ${message}`)
  else assert.ok(reason === 'removed' && facts.removed.has(id), message)
}

function assertDeleting(world: World, transition: Transition, message: string): void {
  const { reason, actor } = transition
  assert.ok(actor || reason === 'upload_failed', `without an actor: ${message}`)
  assert.ok(mayDelete(world, transition), `too early, or not to be deleted: ${message}`)
}

function mayDelete({ facts, options }: World, transition: Transition): boolean {
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
      // Allowed only if the storage failed and the finalizing was not repeated.
      if (from === 'promoting')
        return facts.isDisturbed && isOver(transition.createdAt, GRACES.unsavedGrace)
      return (
        from === 'permanent' &&
        !transition.wasReferenced &&
        isOver(transition.finalizedAt, GRACES.unsavedGrace)
      )
    case 'orphaned':
      return (
        isOrphanOver ||
        facts.immediatelyDeletable.has(id) ||
        (from === 'permanent' && options.orphanGrace === 0)
      )
    case 'removed':
      // `deleteOrphanedMedia` can delete files that are already in the trash.
      return (
        isOrphanOver ||
        facts.immediatelyDeletable.has(id) ||
        (facts.removed.has(id) && (from === 'temporary' || options.orphanGrace === 0))
      )
    default:
      return false
  }
}
