import type { AlertOptions } from './alerts/alert-options.ts'
import { resolveAlertOptions } from './alerts/alert-policy.ts'
import type { Alerts } from './alerts/alerts.ts'
import { type AlertsOptions, createAlerts } from './alerts/create-alerts.ts'

/** The options of an instance that alerts depend on. */
export interface AlertSource {
  readonly alerts: AlertOptions | undefined
  readonly publicOrigin: string | undefined
}

/** Makes the alerts of an instance, or null without the option. @throws ConfigurationError that names the option */
export function composeAlerts(
  { alerts, publicOrigin }: AlertSource,
  keys: AlertsOptions['keys'],
  {
    basePath,
    ...parts
  }: Omit<AlertsOptions, 'policy' | 'keys' | 'path'> & { readonly basePath: string },
): Alerts | null {
  if (alerts === undefined) return null
  const policy = resolveAlertOptions(alerts, publicOrigin)
  return createAlerts({ ...parts, policy, keys, path: `${basePath}/alerts` })
}
