import { existsSync } from 'node:fs'
import { type Browser, launch } from 'puppeteer-core'

const executablePath = process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr'

/**
 * The reason why Firefox tests are skipped, or null. With QUILLGATE_REQUIRE_SERVICES=1, they are
 * not skipped, but fail without Firefox.
 */
export const noFirefox: string | null =
  existsSync(executablePath) || process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
    ? null
    : `no Firefox at ${executablePath} (set FIREFOX_PATH)`

/**
 * Starts a headless Firefox. Uses the standard protocol WebDriver BiDi, because Playwright supports
 * only its own build of Firefox.
 */
export function launchFirefox(): Promise<Browser> {
  return launch({ browser: 'firefox', executablePath, headless: true })
}
