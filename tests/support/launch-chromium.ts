import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core'
import { DISABLED_FEATURES } from './disabled-features.ts'

export const CHROMIUM_PATH = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

const OPTIONS: LaunchOptions = {
  executablePath: CHROMIUM_PATH,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
  ],
}

/** Starts a headless Chromium for this process. Test files share one: see `chromium.ts`. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch(OPTIONS)
}

/** Starts a headless Chromium that other processes can connect to. */
export function startChromium(): Promise<BrowserServer> {
  return chromium.launchServer(OPTIONS)
}
