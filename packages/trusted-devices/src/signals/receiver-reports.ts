import type { Logger } from '@quillgate/server/core'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { ReceiverFailure } from './receivers.ts'
import { SIGNAL_OF } from './signals.ts'

/** Reports about the delivery of events. */
export interface ReceiverReports {
  /** Called for each receiver that throws or rejects, however late. */
  readonly onReceiverError: (error: unknown, where: ReceiverFailure) => void
  /** Called once for each call of a receiver that is slow. The receiver continues. */
  readonly onSlowReceiver: (where: ReceiverFailure) => void
  /** Called for events that no receiver gets, because their owner was not found in time. */
  readonly onLost: (events: readonly DeviceEvent[], error: unknown) => void
  /** Called for receivers that `close` no longer waits for. */
  readonly onUnfinished: (receivers: readonly ReceiverFailure[]) => void
}

/** Reports to the logger. @param receiverTimeout seconds */
export function receiverReports(receiverTimeout: number, logger: Logger): ReceiverReports {
  return {
    onReceiverError: (error, where) => logger.error(`${receiverThat('failed', where)}.`, error),
    onSlowReceiver(where) {
      const spent = `has not finished after ${receiverTimeout} s (receiverTimeout)`
      logger.warn(`${receiverThat('is slow', where)}: it ${spent}. It goes on.`)
    },
    onLost(events, error) {
      for (const { kind, device, userId, eventId } of events) {
        const ofDevice = kind === 'refused' ? '' : ` of device ${device.uid}` // No device has that uid.
        logger.error(
          `The event ${eventId} is lost: ${SIGNAL_OF[kind]}${ofDevice}, user ${userId}. ` +
            'users.findById failed at each attempt. The setting outbox keeps events until they are delivered.',
          error,
        )
      }
    },
    onUnfinished(receivers) {
      for (const where of receivers) {
        const unfinished = receiverThat('has not finished', where)
        logger.warn(`${unfinished}: close() no longer waits for it. Event ${where.eventId}.`)
      }
    },
  }
}

/** For example `A receiver of device_revoked failed (audit)`. */
function receiverThat(predicate: string, { signal, receiverId }: ReceiverFailure): string {
  return `A receiver of ${signal} ${predicate}${receiverId === null ? '' : ` (${receiverId})`}`
}
