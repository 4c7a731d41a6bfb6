import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { DISABLED_FEATURES } from './disabled-features.ts'

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

/** Why browser tests cannot run here, or null. With QUILLGATE_REQUIRE_SERVICES=1 they must, and fail instead. */
export const noChromium: string | null =
  existsSync(executablePath) || process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
    ? null
    : `no Chromium at ${executablePath} (set CHROMIUM_PATH)`

/** Starts a headless Chromium. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      `--disable-features=${DISABLED_FEATURES.join(',')}`,
    ],
  })
}
