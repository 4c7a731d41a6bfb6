import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { CHROMIUM_PATH, launchChromium } from './launch-chromium.ts'

/**
 * The reason why browser tests cannot run here, or null. With QUILLGATE_REQUIRE_SERVICES=1 they
 * must run, and fail instead.
 */
export const noChromium: string | null =
  existsSync(CHROMIUM_PATH) || process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
    ? null
    : `no Chromium at ${CHROMIUM_PATH} (set CHROMIUM_PATH)`

/** The browser of this process. It closes with the process, because a start takes seconds. */
let browser: Promise<Browser> | undefined

/**
 * Returns the headless Chromium of this process, which the first test file starts. A test file
 * opens and closes its own contexts.
 */
export function sharedChromium(): Promise<Browser> {
  browser ??= launchChromium()
  return browser
}
