import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { DISABLED_FEATURES } from './disabled-features.ts'

// Debian's headless shell comes first, because it takes half the CPU time.
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

export const CHROMIUM_PATH =
  process.env['CHROMIUM_PATH'] ?? INSTALLED.find(existsSync) ?? '/usr/bin/chromium'

/** Starts a headless Chromium. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      `--disable-features=${DISABLED_FEATURES.join(',')}`,
    ],
  })
}
