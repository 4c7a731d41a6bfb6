import type { DeviceFact } from '../devices/facts.ts'
import { SIGNAL_OF } from '../signals/signal-names.ts'
import type { Destination } from './destination.ts'

/** One way of a fact. */
export interface Route {
  readonly destination: Destination
  /** True when the commit itself begins the first attempt, which this process then makes. */
  readonly isOurs: boolean
}

/**
 * Where facts go. It is decided once, when their rows are written: receivers may come and go before the delivery, and what
 * has no row cannot be delivered.
 */
export interface Routes {
  decide(fact: DeviceFact): readonly Route[]
  /** What was decided; none for a fact that was never written. */
  of(fact: DeviceFact): readonly Route[]
}

/** @param hasRoom whether this process can take more for a destination and user, besides what already waits in its memory */
export function createRoutes(
  destinations: readonly Destination[],
  hasRoom: (destination: Destination, userId: string) => boolean,
): Routes {
  const decided = new WeakMap<DeviceFact, readonly Route[]>()
  return {
    decide(fact) {
      const routes = destinations
        .filter((destination) => destination.wants(SIGNAL_OF[fact.kind]))
        .map((destination) => ({
          destination,
          isOurs: destination.isOpen() && hasRoom(destination, fact.userId),
        }))
      decided.set(fact, routes)
      return routes
    },
    of: (fact) => decided.get(fact) ?? [],
  }
}
