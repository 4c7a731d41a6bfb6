import { ConfigurationError, type Logger } from '@quillgate/server/core'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import { unregistered } from '../devices/trusted-device.ts'
import type { UserDirectory } from '../devices/users.ts'
import { toDeviceJson, toUnregisteredJson } from '../http/wire.ts'
import type { DevicesConfiguration } from '../options.ts'
import type { OutboxOperations } from '../outbox/operations.ts'
import { createOutbox, type Outbox } from '../outbox/outbox.ts'
import { createReceiversDestination } from '../outbox/receivers-destination.ts'
import { createWebhookDestination } from '../outbox/webhook-destination.ts'
import { parseWebhooks } from '../outbox/webhook-options.ts'
import type { AllSettings } from '../settings.ts'
import type { Dispatcher } from '../signals/dispatcher.ts'
import type { ReceiverReports } from '../signals/receiver-reports.ts'

/** The parts that the outbox needs. */
export interface OutboxSurroundings {
  readonly db: DeviceDatabase
  readonly users: UserDirectory
  readonly clock: () => number
  readonly logger: Logger
  readonly dispatcher: Dispatcher
  readonly reports: Pick<ReceiverReports, 'onReceiverError'>
}

/**
 * Makes the outbox, if it is on.
 *
 * @throws ConfigurationError for webhooks without it, and for webhooks that are wrong
 */
export function composeOutbox(
  options: DevicesConfiguration,
  settings: AllSettings,
  { db, users, clock, logger, dispatcher, reports }: OutboxSurroundings,
): Outbox | null {
  const webhooks = parseWebhooks(options.webhooks)
  if (!settings.outbox) {
    if (webhooks.length > 0)
      throw new ConfigurationError('webhooks', 'need the setting outbox: true')
    return null
  }
  const timeout = settings.outboxTimeout
  const receivers = createReceiversDestination({
    dispatcher: () => dispatcher,
    isExpected: options.receivers !== undefined || webhooks.length === 0,
    users,
    timeout,
    onReceiverError: reports.onReceiverError,
  })
  const describe = ({ kind, device }: DeviceEvent): object => {
    if (kind === 'refused') return toUnregisteredJson(unregistered(device))
    const { is_current: _, ...json } = toDeviceJson(device, '')
    return json
  }
  const { fetch } = globalThis
  return createOutbox({
    db,
    destinations: [
      receivers,
      ...webhooks.map((webhook) =>
        createWebhookDestination({ webhook, timeout, clock, fetch, describe }),
      ),
    ],
    toUserId: users.toUserId,
    clock,
    random: Math.random,
    attempts: settings.outboxAttempts,
    timeout,
    interval: settings.outboxInterval,
    retention: settings.outboxRetention,
    onError: (error) =>
      logger.error(
        'The outbox could not be read or written; events stay there until it can.',
        error,
      ),
  })
}

/**
 * Creates the application's calls on the outbox. @throws ConfigurationError from each call if the
 * outbox is off
 */
export function outboxOperations(
  outbox: Outbox | null,
  ready: () => Promise<void>,
): OutboxOperations {
  const opened = async (): Promise<Outbox> => {
    if (!outbox) throw new ConfigurationError('settings.outbox', 'must be true for this')
    await ready()
    return outbox
  }
  return {
    list: async (options) => (await opened()).list(options),
    replay: async (filter) => (await opened()).replay(filter),
    deliver: async () => (await opened()).deliver(),
  }
}
