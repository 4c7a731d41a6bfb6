import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { CHROMIUM_PATH, launchChromium } from './launch-chromium.ts'

/**
 * The reason why browser tests are skipped, or null. With QUILLGATE_REQUIRE_SERVICES=1, they are
 * not skipped, but fail without Chromium.
 */
export const noChromium: string | null =
  existsSync(CHROMIUM_PATH) || process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
    ? null
    : `no Chromium at ${CHROMIUM_PATH} (set CHROMIUM_PATH)`

/**
 * The browser of this process. A start takes seconds, so the browser stays open until the process
 * ends.
 */
let browser: Promise<Browser> | undefined

/**
 * Returns the headless Chromium of this process. The first test file starts it. Each test file
 * opens and closes its own contexts.
 */
export function sharedChromium(): Promise<Browser> {
  browser ??= launchChromium()
  return browser
}
