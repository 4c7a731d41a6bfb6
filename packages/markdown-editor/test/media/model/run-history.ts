import assert from 'node:assert/strict'
import type { TestEngine } from '@quillgate/server/testing'
import { inspect } from './inspect.ts'
import { perform } from './perform.ts'
import type { Moment, WorldOptions } from './steps.ts'
import { mediaIn, type View } from './view.ts'
import { openWorld, type World } from './world.ts'

/** @returns the number of steps */
export async function runHistory(
  engine: TestEngine,
  moments: readonly Moment[],
  options: WorldOptions,
): Promise<number> {
  const world = await openWorld(engine, options)
  try {
    let view: View | null = null
    for (const moment of moments) {
      world.pauses.rest(false)
      await allOf(moment.map((step, index) => perform(world, step, index)))
      world.pauses.rest(true)
      world.paused.heal()
      view = await inspect(world, view)
      if (moment.length === 1 && moment[0]?.do === 'sweep') assertNothingDue(world, view)
    }
    await assertEnd(world, view)
    return world.facts.steps
  } finally {
    await world.close()
  }
}

/** Waits for all steps even if one fails, because running steps would disturb the next world. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(works))
    if (result.status === 'rejected') throw result.reason
}

/** Asserts that a sweep without concurrent steps has processed all files that were due. */
function assertNothingDue({ clock, options, facts }: World, { media, references }: View): void {
  if (facts.isDisturbed) return
  const referenced = new Set([...references].map(mediaIn))
  const isOver = (since: number | null, grace: number): boolean =>
    since !== null && since <= clock() - grace * 1000
  for (const medium of media.values()) {
    const { id, state, createdAt, finalizedAt, referencedAt, orphanedAt } = medium
    const isReferenced = referenced.has(id)
    const isDue =
      (state === 'temporary' && !isReferenced && isOver(createdAt, 86_400)) ||
      (state === 'permanent' && !isReferenced && referencedAt !== null) ||
      (state === 'permanent' &&
        !isReferenced &&
        referencedAt === null &&
        isOver(finalizedAt, 7 * 86_400)) ||
      (state === 'orphaned' && isOver(orphanedAt, options.orphanGrace)) ||
      state === 'deleting' ||
      state === 'promoting'
    assert.ok(!isDue, `${id} was left behind by a sweep: ${JSON.stringify(medium)}`)
  }
}

const MONTH = 30 * 86_400_000

/** Asserts that only referenced files remain. The second sweep deletes orphans of the first. */
async function assertEnd(world: World, before: View | null): Promise<void> {
  let view = before
  for (let round = 0; round < 2; round++) {
    world.clock.advance(MONTH)
    await world.nodes[round === 0 ? 0 : 1].sweep()
    view = await inspect(world, view)
  }
  if (!view) return
  // After repeated storage failures, `check` lists the remaining objects for the operator.
  if (world.facts.isDisturbed) {
    const { strays } = await world.nodes[0].check()
    for (const { key } of strays.items) await world.storage.remove(key)
  }
  const end = await inspect(world, view)
  assert.deepEqual((await world.nodes[1].check()).damaged.items, [])
  const referenced = new Set(
    [...end.references].map(mediaIn).filter((id) => end.media.get(id)?.state !== 'deleted'),
  )
  const rest = [...end.media.values()].filter(
    ({ id, state }) => state !== 'deleted' && !referenced.has(id),
  )
  assert.deepEqual(rest, [], 'unneeded files')
  assert.equal(end.keys.size, referenced.size, 'unneeded objects')
}
