import { findMediaIds } from '@quillgate/markdown/media-urls'
import { expect, it } from 'vitest'
import type { OrmPost, OrmSaves } from './orm-fixture.ts'
import { type Given, rollBack, type TestMedium, type World } from './orm-world.ts'

const SEED = 1
const STEPS = 16
const MEDIA = 6
const TOPICS = ['x', 'y'] as const
const DEEPEST = 2

export function sequenceTests(given: Given, isBulkRefused: boolean): void {
  it('keeps exactly the media that records mention', async () => {
    const world = given()
    const media: TestMedium[] = []
    for (let n = 0; n < MEDIA; n++) media.push(await world.addMedium())
    const player = new Player(SEED, isBulkRefused)
    for (let step = 0; step < STEPS; step++) {
      const alive = await living(world, media)
      await player.act(world.saves, alive)
      await expectConsistent(world, media)
    }
  })
}

async function living({ stateOf }: World, media: readonly TestMedium[]): Promise<TestMedium[]> {
  const alive: TestMedium[] = []
  for (const medium of media) if ((await stateOf(medium)) === 'permanent') alive.push(medium)
  return alive
}

async function expectConsistent(world: World, media: readonly TestMedium[]): Promise<void> {
  const mentioned = new Set<string>()
  for await (const { texts } of world.records()) {
    for (const text of Object.values(texts as Record<string, string | null>)) {
      for (const id of findMediaIds(text ?? '')) mentioned.add(id)
    }
  }
  for (const medium of media) {
    const isExpected = mentioned.has(medium.id)
      ? (await world.stateOf(medium)) === 'permanent' && (await world.isReferenced(medium))
      : (await world.stateOf(medium)) === 'deleted' || !(await world.isReferenced(medium))
    expect(isExpected, `${medium.id}, mentioned: ${mentioned.has(medium.id)}`).toBe(true)
  }
  expect(await world.editor.references.rebuild(world.records())).toMatchObject({
    added: 0,
    missing: 0,
  })
}

/** The same seed gives the same writes. */
class Player {
  #state: number
  #titles = 0

  readonly #isBulkRefused: boolean

  constructor(seed: number, isBulkRefused: boolean) {
    this.#state = seed
    this.#isBulkRefused = isBulkRefused
  }

  async act(saves: OrmSaves, media: readonly TestMedium[], depth = 0): Promise<void> {
    const topic = this.#pick(TOPICS)
    const id = await this.#existing(saves)
    const steps: (() => Promise<unknown>)[] = [
      () => saves.insertPost({ title: `${++this.#titles}`, topic, ...this.#texts(media) }),
      () => saves.insertPost({ title: `${++this.#titles}`, topic, ...this.#texts(media) }),
    ]
    if (!this.#isBulkRefused) {
      steps.push(() => saves.updateTopic(topic, this.#texts(media)))
      steps.push(() => saves.deleteTopic(topic))
    }
    if (id !== undefined) {
      steps.push(() => saves.updatePost(id, this.#texts(media)))
      steps.push(() => saves.updatePost(id, { topic }))
      steps.push(() => saves.deletePost(id))
    }
    if (depth < DEEPEST) {
      const several = async (own: OrmSaves): Promise<void> => {
        for (let n = 0; n < 3; n++) await this.act(own, media, depth + 1)
      }
      steps.push(() => saves.transaction(several))
      steps.push(() => rollBack(saves, several))
    }
    await this.#pick(steps)()
  }

  async #existing(saves: OrmSaves): Promise<number | undefined> {
    const id = 1 + this.#below(this.#titles + 1)
    return (await saves.findPost(id)) ? id : undefined
  }

  #texts(media: readonly TestMedium[]): Partial<OrmPost> {
    const text = () =>
      media
        .filter(() => this.#below(4) === 0)
        .map(({ link }) => link)
        .join(' ')
    return this.#pick([
      { body: text() },
      { summary: text() },
      { body: text(), summary: text() },
      { body: null },
    ])
  }

  #pick<Choice>(choices: readonly [Choice, ...Choice[]] | readonly Choice[]): Choice {
    return choices[this.#below(choices.length)] as Choice
  }

  /** A Park-Miller generator. */
  #below(limit: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647
    return this.#state % limit
  }
}
