import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM_PATH } from './launch-chromium.ts'
import type { ChromiumAnswer } from './services.ts'
import { servicesUrl } from './services-url.ts'

/** Why browser tests cannot run here, or null. With QUILLGATE_REQUIRE_SERVICES=1 they must, and fail instead. */
export const noChromium: string | null =
  existsSync(CHROMIUM_PATH) || process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
    ? null
    : `no Chromium at ${CHROMIUM_PATH} (set CHROMIUM_PATH)`

/** The connection of this process. Test files share it: to start a browser takes seconds. */
let connection: Promise<Browser> | undefined

/**
 * Returns the headless Chromium of this run, which the first test file starts. A test file opens
 * contexts of its own and closes them; the browser itself ends with the run.
 */
export function sharedChromium(): Promise<Browser> {
  connection ??= connect()
  return connection
}

async function connect(): Promise<Browser> {
  const answer = (await (await fetch(`${servicesUrl()}/chromium`)).json()) as ChromiumAnswer
  if ('error' in answer) throw new Error(answer.error)
  return chromium.connect(answer.endpoint)
}
