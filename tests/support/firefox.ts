import { existsSync } from 'node:fs'
import { type Browser, launch } from 'puppeteer-core'

const executablePath = process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr'

/**
 * The reason why Firefox tests cannot run here, or null. With QUILLGATE_REQUIRE_SERVICES=1 they
 * must run, and fail instead.
 */
export const noFirefox: string | null =
  existsSync(executablePath) || process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
    ? null
    : `no Firefox at ${executablePath} (set FIREFOX_PATH)`

/**
 * Starts a headless Firefox. Playwright needs a special build; the standard protocol (BiDi) works
 * with any.
 */
export function launchFirefox(): Promise<Browser> {
  return launch({ browser: 'firefox', executablePath, headless: true })
}
