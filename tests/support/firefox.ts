import { existsSync } from 'node:fs'
import { type Browser, launch } from 'puppeteer-core'

const executablePath = process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr'

/** Why Firefox tests cannot run here, or null. With QUILLGATE_REQUIRE_SERVICES=1 they must, and fail instead. */
export const noFirefox: string | null =
  existsSync(executablePath) || process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
    ? null
    : `no Firefox at ${executablePath} (set FIREFOX_PATH)`

/** Starts a headless Firefox. Playwright needs a build of its own; the standard protocol (BiDi) works with any. */
export function launchFirefox(): Promise<Browser> {
  return launch({ browser: 'firefox', executablePath, headless: true })
}
