import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CliDevices, Report } from '../../src/cli/command.ts'
import { withReceivers } from '../../src/cli/wait-for-receivers.ts'

const WHERE = { signal: 'device_revoked', receiverId: 'audit', eventId: 'e1' }
const REPORT: Report = { json: { revoked: 1 }, text: 'Revoked 1 devices.\n' }

type Settled = Awaited<ReturnType<CliDevices['settle']>>

/** Runs a command. `settle` returns these results in turn, and then the last one. */
function start(
  results: readonly Partial<Settled>[],
  work: () => Promise<Report> = async () => REPORT,
) {
  const printed: string[] = []
  const timeouts: unknown[] = []
  const settle: CliDevices['settle'] = async (options) => {
    const result = results[Math.min(timeouts.length, results.length - 1)]
    timeouts.push(options?.timeout)
    return { unfinished: [], lost: [], ...result }
  }
  const done = withReceivers({ settle } as unknown as CliDevices, work, (text) =>
    printed.push(text),
  )
  return { done, printed, timeouts }
}

async function report(settled: Partial<Settled>) {
  const { done, printed } = start([settled])
  return { done: await done, printed }
}

const NOTICE = 'Receivers are still running. Waiting up to 60 s for each.\n'

afterEach(() => vi.useRealTimers())

it('a command that throws waits for its receivers before it ends, too', async () => {
  const { done, timeouts } = start([{}], () => Promise.reject(new Error('away')))
  await expect(done).rejects.toThrow('away')
  expect(timeouts).toEqual([0, 60])
})

it('a command that takes long says once that it waits for receivers', async () => {
  vi.useFakeTimers()
  const gate = Promise.withResolvers<Report>()
  const { done, printed } = start([{ unfinished: [WHERE] }], () => gate.promise)
  await vi.advanceTimersByTimeAsync(1999)
  expect(printed).toEqual([])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(printed).toEqual([NOTICE])
  gate.resolve(REPORT)
  await done
  expect(printed).toEqual([NOTICE])
})

it('a command reports an event that was lost while it ran', async () => {
  vi.useFakeTimers()
  const gate = Promise.withResolvers<Report>()
  const { done } = start([{ lost: [WHERE] }, {}], () => gate.promise)
  await vi.advanceTimersByTimeAsync(2000)
  gate.resolve(REPORT)
  expect((await done).failure).toContain('device_revoked (audit), event e1')
})

describe('a command after which', () => {
  it('all receivers are done reports nothing about them', async () => {
    expect(await report({})).toEqual({ done: REPORT, printed: [] })
  })

  it('a receiver has not finished by the deadline fails, and names the receiver and the event', async () => {
    const { done, printed } = await report({ unfinished: [WHERE] })
    expect(printed).toEqual([NOTICE])
    expect(done).toEqual({
      ...REPORT,
      json: {
        revoked: 1,
        unfinished_receivers: [{ signal: 'device_revoked', receiver: 'audit', event_id: 'e1' }],
        lost_events: [],
      },
      failure: 'Not finished within 60 s:\n  device_revoked (audit), event e1\n',
    })
  })

  it('an event was lost fails, and names the event', async () => {
    const { done } = start([{ lost: [{ ...WHERE, receiverId: null }] }, {}])
    expect((await done).failure).toBe(
      'Not delivered, because users.findById failed:\n  device_revoked, event e1\n',
    )
  })
})
