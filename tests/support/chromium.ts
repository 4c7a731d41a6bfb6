import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

/** Why browser tests cannot run here, or null. With QUILLGATE_REQUIRE_SERVICES=1 they must, and fail instead. */
export const noChromium: string | null =
  existsSync(executablePath) || process.env['QUILLGATE_REQUIRE_SERVICES'] === '1'
    ? null
    : `no Chromium at ${executablePath} (set CHROMIUM_PATH)`

// Of several lists Chromium takes the last, so this one begins with Playwright's.
const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // Pages behind the address bar, which each new window loads: half the processor time of a test.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  // Watches links that it draws by lot: a page with one of them makes a frame all the time while anything changes.
  'NavigationPredictor',
]

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
