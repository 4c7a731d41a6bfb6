import { ConfigurationError } from '@quillgate/server'
import { afterEach, describe, expect, it } from 'vitest'
import { checkStep } from './devices/check-step.ts'
import { EXCEPTIONS } from './devices/exceptions.ts'
import { runStep } from './devices/run-step.ts'
import { type Expectation, type Scenario, type Step, scenarios } from './devices/scenario.ts'
import { toExpectation } from './devices/translate.ts'
import { World } from './devices/world.ts'
import { missingReasons } from './differences.ts'

let world: World | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})

/**
 * Scenarios in which one call deletes a device while the device makes a parallel call. The parallel
 * call may succeed or fail. Later calls of the device are rejected.
 */
const OVERTAKEN = new Set(['W07', 'W09'])

describe.each(['follow', 'improve', 'free'] as const)('scenarios to %s', (verdict) => {
  const chosen = scenarios.filter((scenario) => scenario.verdict === verdict)

  it.each(chosen.map((scenario) => [scenario.id, scenario.title, scenario] as const))(
    '%s: %s',
    async (id, _title, scenario) => {
      world = await World.open({
        ...scenario,
        settings: { ...scenario.settings, ...EXCEPTIONS[id]?.settings },
      })
      for (const [index, step] of scenario.steps.entries()) {
        const expected = expectationOf(scenario, index, step)
        if (expected === 'omit') continue
        world.clock.advance(1_000)
        if (expected.outcome === 'configuration error at start') {
          expect(() => world?.devices).toThrow(ConfigurationError)
          continue
        }
        const result = await runStep(world, step)
        if (OVERTAKEN.has(id) && step.do === 'concurrent')
          await checkOvertaken(world, result.results ?? [])
        else await checkStep(world, step, expected, result)
        if (id === 'W13' && step.do === 'concurrent') await checkBothEdits(world)
      }
    },
  )
})

it('every exception belongs to a scenario and has a reason', () => {
  const ids = [...Object.keys(EXCEPTIONS), ...OVERTAKEN]
  expect(scenarios.map((scenario) => scenario.id)).toEqual(expect.arrayContaining(ids))
  expect(missingReasons(ids)).toEqual([])
})

function expectationOf(
  { id, steps, want_expect = {} }: Scenario,
  index: number,
  step: Step,
): Expectation | 'omit' {
  const instead = EXCEPTIONS[id]?.instead?.[index]
  if (instead) return instead
  const wanted =
    want_expect[String(index)] ?? (index === steps.length - 1 ? want_expect['last'] : undefined)
  if (wanted) return toExpectation(step, wanted)
  return toExpectation(step, afterDivergence(steps, index, want_expect, step.expect ?? {}))
}

/**
 * If an earlier step of the scenario has a different result here, removes the recorded values that
 * depend on that step, such as the status, the body, the devices and the signals.
 */
function afterDivergence(
  steps: readonly Step[],
  index: number,
  wanted: Readonly<Record<string, Expectation>>,
  recorded: Expectation,
): Expectation {
  const diverged = Object.keys(wanted).some((key) => key !== 'last' && Number(key) < index)
  if (!diverged || index >= steps.length) return recorded
  const { status, body, labels, current, devices_after, signals, fields, ...rest } = recorded
  return rest
}

async function checkOvertaken(
  world: World,
  results: readonly { status?: number }[],
): Promise<void> {
  expect([200, 401]).toContain(results[0]?.status)
  expect(results[1]?.status).toBe(204)
  expect(await world.living()).toEqual(['alice/A'])
  expect(world.recorder.take().map(({ signal }) => signal)).toEqual(['device_revoked'])
  expect((await runStep(world, { do: 'list', as: 'alice/B' })).status).toBe(401)
}

async function checkBothEdits(world: World): Promise<void> {
  expect(await world.row('alice/B')).toMatchObject({
    name: 'n',
    can_delete_others: 0,
    last_address: '198.51.100.7',
  })
}
