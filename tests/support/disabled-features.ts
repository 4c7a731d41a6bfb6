/**
 * Chromium features that tests disable. If the command line has several lists, Chromium uses only
 * the last one. This list therefore begins with all features that playwright-core 1.65.1 disables
 * (`disabledFeatures` in its lib/coreBundle.js).
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
  // Each new window loads these pages of the address bar. They take half the CPU time of a test.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  // This feature watches some links of a page. The page then renders frames as long as anything
  // changes.
  'NavigationPredictor',
]
