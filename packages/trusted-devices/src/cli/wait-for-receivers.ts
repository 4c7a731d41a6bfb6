import { RECEIVER_DEADLINE, type Settled } from '../signals/deliveries.ts'
import type { ReceiverFailure } from '../signals/receivers.ts'
import type { CliDevices, Report } from './command.ts'

const NOTICE_AFTER = 2000 // Milliseconds. Most commands are done by then, and need no notice.

/**
 * Runs a command, and waits for the receivers of what it published, up to the deadline. It also
 * waits when the command fails.
 *
 * @param printNotice writes that the command waits, and how long
 * @returns the report of the command, which names receivers that have not finished
 */
export async function withReceivers(
  devices: CliDevices,
  work: () => Promise<Report>,
  printNotice: (text: string) => void,
): Promise<Report> {
  let isPrinted = false
  const lost: ReceiverFailure[] = []
  const settle = async (timeout: number): Promise<Settled> => {
    const settled = await devices.settle({ timeout })
    lost.push(...settled.lost)
    return { ...settled, lost }
  }
  const notice = async (): Promise<void> => {
    const { unfinished } = await settle(0)
    if (isPrinted || unfinished.length === 0) return
    isPrinted = true
    printNotice(`Receivers are still running. Waiting up to ${RECEIVER_DEADLINE} s for each.\n`)
  }
  const timer = setInterval(() => void notice(), NOTICE_AFTER)
  let settled: Settled = { unfinished: [], lost }
  try {
    const report = await work().finally(async () => {
      await notice()
      settled = await settle(RECEIVER_DEADLINE)
    })
    return withUnfinished(report, settled)
  } finally {
    clearInterval(timer)
  }
}

const SHOWN = 10

function withUnfinished(report: Report, { unfinished, lost }: Settled): Report {
  if (unfinished.length + lost.length === 0) return report
  const late = listOf(`Not finished within ${RECEIVER_DEADLINE} s`, unfinished)
  const missed = listOf('Not delivered, because users.findById failed', lost)
  return {
    ...report,
    json: {
      ...(report.json as object),
      unfinished_receivers: unfinished.map(toJson),
      lost_events: lost.map(toJson),
    },
    failure: `${report.failure ?? ''}${late}${missed}`,
  }
}

function listOf(title: string, all: readonly ReceiverFailure[]): string {
  if (all.length === 0) return ''
  const lines = all.slice(0, SHOWN).map(({ signal, receiverId, eventId }) => {
    return `  ${signal}${receiverId === null ? '' : ` (${receiverId})`}, event ${eventId}\n`
  })
  const more = all.length > SHOWN ? `  … and ${all.length - SHOWN} more\n` : ''
  return `${title}:\n${lines.join('')}${more}`
}

function toJson({ signal, receiverId, eventId }: ReceiverFailure): object {
  return { signal, receiver: receiverId, event_id: eventId }
}
