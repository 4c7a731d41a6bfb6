import type { DeviceFact } from '../devices/facts.ts'
import type { DeletedUser, User } from '../devices/user.ts'

/** What an attempt to deliver came to. */
export type Attempted =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed'
      /** One line, for operators. */
      readonly error: string
      /** Milliseconds that the destination wants to be left alone. */
      readonly wish?: number
      /** Gives true when it was done after all, later than anybody waited for. */
      readonly late?: Promise<boolean>
    }
  /** To try again makes no sense. */
  | { readonly kind: 'refused'; readonly error: string }

/** What is known beside the fact. */
export interface AttemptContext {
  /** The owner, when the request that caused the fact has them at hand. */
  readonly user: User | DeletedUser | undefined
}

/** Where events go: the receivers of this process, or a webhook. */
export interface Destination {
  /** As the rows name it: `receivers`, or `webhook:` and a name. At most 64 ASCII characters. */
  readonly name: string
  /** Whether requests wait for it. */
  readonly isAwaited: boolean
  /** Whether a row is written for an event of this signal, for example `device_created`. */
  wants(signal: string): boolean
  /** Whether this process can deliver now, or must leave it to others. */
  isOpen(): boolean
  /** Makes one attempt. It does not reject, and ends by itself. */
  attempt(fact: DeviceFact, context: AttemptContext): Promise<Attempted>
}
