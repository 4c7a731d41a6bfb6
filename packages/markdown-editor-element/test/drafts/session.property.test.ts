import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Answer, type Tab, World } from './world.ts'

type Step = readonly [string, (world: World, tab: Tab) => Promise<void> | void]

const ANSWERS: readonly Answer[] = [
  'saved elsewhere',
  'saved, form again',
  'refused, form again',
  'lost',
  'signed out',
]

const STEPS: readonly Step[] = [
  ['type', (world, tab) => world.type(tab)],
  ['type', (world, tab) => world.type(tab)],
  ['save', (world, tab) => world.save(tab)],
  ['save', (world, tab) => world.save(tab)],
  ['crash', (world, tab) => world.end(tab)],
  ['leave', (world, tab) => world.leave(tab)],
  ['reload', (world, tab) => world.reload(tab, false)],
  ['reload with what was typed', (world, tab) => world.reload(tab, true)],
  ...ANSWERS.map((answer): Step => [`send: ${answer}`, (world, tab) => world.submit(tab, answer)]),
  ['restore', (world, tab) => world.restore(tab)],
  ['discard', (world, tab) => world.discard(tab)],
  ['reset', (world, tab) => reset(world, tab)],
  ['open', (world) => world.open().then(() => {})],
  ['somebody else saves', (world) => world.receive(`their ${world.now}`)],
  ['sign out', (world) => world.signOut('ada')],
  ['another user', (world) => world.signOut('eve')],
  ['another user, without a sign-out', (world) => world.changeUser()],
  ['full', (world) => world.store.toggleFull()],
  ['an hour', (world) => world.wait(3_600_000)],
  ['a day', (world) => world.wait(86_400_000)],
]

function reset(world: World, tab: Tab): void {
  const kept = tab.session.saveNow(tab.text) && !world.store.full
  if (kept) world.owe(tab)
  tab.session.leave()
  tab.text = tab.served
}

describe('drafts, whatever happens in whichever order', () => {
  const step = fc.tuple(fc.constantFrom(...STEPS), fc.nat(3), fc.integer({ min: 1, max: 5000 }))

  it('F21: lose nothing that was kept, show nobody the text of another, and put nothing in unasked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = new World()
        for (const [[name, run], which, pause] of steps) {
          world.wait(pause)
          const tab = world.tabs[which % Math.max(1, world.tabs.length)] ?? (await world.open())
          const texts = new Map(world.tabs.map((each) => [each, each.text]))
          await run(world, tab)
          for (const each of world.tabs) {
            if (each !== tab && texts.has(each)) expect(each.text, name).toBe(texts.get(each))
            expect(each.offers.every(({ user }) => user === each.user)).toBe(true)
          }
          const kept = new Set([...world.store.drafts.values()].map(({ text }) => text))
          const shown = new Set(world.tabs.map(({ text }) => text))
          const lost = [...world.owed.keys()].filter((text) => !kept.has(text) && !shown.has(text))
          expect(lost, `${name}: ${steps.map(([[each]]) => each).join(', ')}`).toEqual([])
        }
        await everythingIsOffered(world)
      }),
      { numRuns: 500 },
    )
  })
})

/** Whoever opens the form at the end is offered all that is owed to them. */
async function everythingIsOffered(world: World): Promise<void> {
  for (const tab of [...world.tabs]) world.leave(tab)
  world.store.full = false
  world.wait(10_000)
  const { offers, text } = await world.open()
  const seen = new Set([text, ...offers.map((draft) => draft.text)])
  for (const owed of world.owed.keys()) expect(seen).toContain(owed)
}
