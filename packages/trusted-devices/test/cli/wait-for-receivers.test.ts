import { describe, expect, it } from 'vitest'
import type { CliDevices } from '../../src/cli/commands.ts'
import type { CommandOutput } from '../../src/cli/output.ts'
import { perform } from '../../src/cli/run.ts'

const WHERE = { signal: 'device_revoked', receiverId: 'audit', eventId: 'e1' }
const OUTPUT: CommandOutput = { json: { revoked: 1 }, text: 'Revoked 1 devices.\n' }

type Settled = Awaited<ReturnType<CliDevices['settle']>>

function start(settled: Partial<Settled>, run: () => Promise<CommandOutput> = async () => OUTPUT) {
  const timeouts: unknown[] = []
  const settle: CliDevices['settle'] = async (options) => {
    timeouts.push(options?.timeout)
    return { unfinished: [], lost: [], ...settled }
  }
  const devices = { settle } as unknown as CliDevices
  const done = perform({ options: [], run }, devices, {}, () => {})
  return { done, timeouts }
}

it('a command that throws still waits for its receivers', async () => {
  const { done, timeouts } = start({}, () => Promise.reject(new Error('away')))
  await expect(done).rejects.toThrow('away')
  expect(timeouts).toEqual([60])
})

describe('a command', () => {
  it('reports nothing about receivers when all have finished', async () => {
    expect(await start({}).done).toEqual(OUTPUT)
  })

  it('fails and names the receiver and the event when a receiver misses the deadline', async () => {
    expect(await start({ unfinished: [WHERE] }).done).toEqual({
      ...OUTPUT,
      json: {
        revoked: 1,
        unfinished_receivers: [{ signal: 'device_revoked', receiver: 'audit', event_id: 'e1' }],
        lost_events: [],
      },
      failure: 'Receivers that have not finished:\n  device_revoked (audit), event e1\n',
    })
  })

  it('fails and names the event when an event is lost', async () => {
    const { failure } = await start({ lost: [{ ...WHERE, receiverId: null }] }).done
    expect(failure).toBe(
      'Signals that were not delivered, because users.findById failed:\n  device_revoked, event e1\n',
    )
  })
})
