import { ConfigurationError } from '@quillgate/server/core'
import { connectAll } from './signals/connect-all.ts'
import { within } from './within.ts'

const PATIENCE = 30 // Seconds.

/**
 * Calls the option `receivers`.
 *
 * @throws ConfigurationError when it is not done in time, for else no request would ever be answered
 */
export async function startReceivers(receivers: () => unknown): Promise<void> {
  await connectAll(() =>
    within(PATIENCE, (async () => receivers())(), () => {
      throw new ConfigurationError(
        'receivers',
        `was not done within ${PATIENCE} s; look what it waits for`,
      )
    }),
  )
}
