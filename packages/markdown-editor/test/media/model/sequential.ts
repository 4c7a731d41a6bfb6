import assert from 'node:assert/strict'
import type { TestEngine } from '@quillgate/server/testing'
import fc from 'fast-check'
import { inspect } from './inspect.ts'
import { perform } from './perform.ts'
import { personOf } from './saves.ts'
import { Specification } from './specification.ts'
import { type Prediction, StepSpecifier } from './specify-step.ts'
import { type Step, step, type WorldOptions } from './steps.ts'
import type { View } from './view.ts'
import { openWorld, type World } from './world.ts'

/** Commands that run sequentially, so that the specification predicts every row. */
export const sequences: fc.Arbitrary<Iterable<fc.AsyncCommand<Specification, Sequence>>> =
  fc.commands([step.map((each) => new StepCommand(each))], { maxCommands: 120, size: 'max' })

/** Creates the commands of a known sequence, for example to repeat a failure. */
export function sequenceOf(
  steps: readonly Step[],
): Iterable<fc.AsyncCommand<Specification, Sequence>> {
  return steps.map((each) => new StepCommand(each))
}

interface Sequence {
  readonly world: World
  readonly specifier: StepSpecifier
  view: View | null
}

/** @returns the number of steps */
export async function runSequence(
  engine: TestEngine,
  commands: Iterable<fc.AsyncCommand<Specification, Sequence>>,
  options: WorldOptions,
): Promise<number> {
  const world = await openWorld(engine, options)
  try {
    await fc.asyncModelRun(() => {
      const model = new Specification(world.clock(), options.orphanGrace)
      return { model, real: { world, specifier: new StepSpecifier(world, model), view: null } }
    }, commands)
    return world.facts.steps
  } finally {
    await world.close()
  }
}

class StepCommand implements fc.AsyncCommand<Specification, Sequence> {
  readonly #step: Step

  constructor(each: Step) {
    this.#step = each
  }

  check(): boolean {
    return true
  }

  async run(spec: Specification, sequence: Sequence): Promise<void> {
    const { world, specifier } = sequence
    const { facts } = world
    const prediction = specifier.apply(this.#step)
    const before = facts.files.length
    const index = facts.steps
    const owner = this.#step.do === 'upload' ? (personOf(world, this.#step.who)?.owner ?? '') : ''
    await perform(world, this.#step, index)
    this.#specifyUpload(spec, world, before, owner)
    assertAnswers(world, prediction)
    sequence.view = await inspect(world, sequence.view)
    assertRows(spec, sequence.view)
  }

  /** Adds an upload to the specification, with its real id, and checks the quota. */
  #specifyUpload(spec: Specification, world: World, before: number, owner: string): void {
    if (this.#step.do !== 'upload') return
    const added = world.facts.files.slice(before)
    for (const { id, bytes } of added) spec.upload(id, owner, bytes.byteLength)
    const { ownerQuota } = world.options
    if (ownerQuota !== null && added.length > 0)
      assert.ok(spec.usage(owner) <= ownerQuota, 'the quota is exceeded')
    if (this.#step.file !== 'good') assert.equal(added.length, 0)
    else if (ownerQuota === null) assert.equal(added.length, 1)
  }

  toString(): string {
    return JSON.stringify(this.#step)
  }
}

function assertAnswers({ facts }: World, { missing, finalized }: Prediction): void {
  assert.deepEqual([...facts.missing].sort(), [...missing].sort(), 'what is missing')
  for (const { urls, answer } of facts.finalizes) {
    for (const [id, url] of urls)
      assert.equal(answer?.replacements[url] !== undefined, finalized.has(id), `finalize ${id}`)
  }
}

function assertRows(spec: Specification, { media, references }: View): void {
  const specified = [...spec.references].flatMap(([id, places]) =>
    [...places].map((place) => `${id}/${place}`),
  )
  assert.deepEqual([...references].sort(), specified.sort(), 'the references')
  for (const medium of media.values()) {
    const {
      id,
      state,
      owner,
      size,
      createdAt,
      finalizedAt,
      referencedAt,
      savedIn,
      orphanedAt,
      reason,
      actor,
    } = medium
    const file = spec.files.get(id)
    if (!file) {
      assert.deepEqual([state, reason], ['deleted', 'upload_failed'], id)
      continue
    }
    const record = savedIn && `${savedIn.type}/${savedIn.id}`
    const found = {
      state,
      owner,
      size,
      createdAt,
      finalizedAt,
      referencedAt,
      savedIn: record,
      orphanedAt,
      reason,
      actor,
    }
    assert.deepEqual(found, { ...file }, id)
  }
}
