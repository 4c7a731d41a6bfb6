import { deriveKeys } from '@quillgate/http'
import type { AlertOptions } from './alerts/alert-options.ts'
import { resolveAlertOptions } from './alerts/alert-policy.ts'
import type { Alerts } from './alerts/alerts.ts'
import { type AlertsOptions, createAlerts } from './alerts/create-alerts.ts'

/** The options of an instance that alerts depend on. */
export interface AlertSource {
  readonly alerts?: AlertOptions
  readonly publicOrigin?: string
  readonly secret: string | readonly string[]
}

/** Makes the alerts of an instance, or null without the option. @throws ConfigurationError that names the option */
export function composeAlerts(
  { alerts, publicOrigin, secret }: AlertSource,
  { basePath, ...parts }: Omit<AlertsOptions, 'policy' | 'keys' | 'path'> & { readonly basePath: string },
): Alerts | null {
  if (alerts === undefined) return null
  const policy = resolveAlertOptions(alerts, publicOrigin)
  return createAlerts({ ...parts, policy, keys: deriveKeys(secret, 'alert-link'), path: `${basePath}/alerts` })
}
