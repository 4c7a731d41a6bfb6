import type { Logger } from '@quillgate/server/core'
import type { ReceiverFailure } from './deliver.ts'
import type { PublisherOptions } from './publisher.ts'
import { SIGNAL_OF } from './signal-names.ts'

/** Reports about the delivery of events. */
export type ReceiverReports = Pick<
  PublisherOptions,
  'onReceiverError' | 'onSlowReceiver' | 'onLost' | 'onUnfinished'
>

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
        logger.warn(
          `${receiverThat('has not finished', where)}: close() no longer waits for it. Event ${where.eventId}.`,
        )
      }
    },
  }
}

/** For example `A receiver of device_revoked failed (audit)`. */
function receiverThat(predicate: string, { signal, receiverId }: ReceiverFailure): string {
  return `A receiver of ${signal} ${predicate}${receiverId === null ? '' : ` (${receiverId})`}`
}
