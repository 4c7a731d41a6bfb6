/**
 * Chromium features that tests disable. Chromium uses only the last such list, so this one starts
 * with all features that playwright-core 1.65.1 disables: `disabledFeatures` in its
 * lib/coreBundle.js.
 */
export const DISABLED_FEATURES: readonly string[] = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  // Pages of the address bar, which each new window loads. They take half the CPU time of a test.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  // Watches randomly chosen links. A page with such a link renders frames as long as anything
  // changes.
  'NavigationPredictor',
]
