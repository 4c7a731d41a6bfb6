import type { Outcome } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'

/** A destination of events: the receivers of this process, or a webhook. */
export interface Destination {
  /** The lane of its jobs: `receivers`, or `webhook:` and a name. At most 64 ASCII characters. */
  readonly name: string
  /** Whether requests wait for it. */
  readonly isAwaited: boolean
  /** Returns whether a job is added for an event of this signal, for example `device_created`. */
  wants(signal: string): boolean
  /** Returns whether this process can deliver now, or must leave it to others. */
  isOpen(): boolean
  /** Makes one attempt. It does not reject, and ends within the time limit. */
  attempt(event: DeviceEvent): Promise<Outcome>
}
