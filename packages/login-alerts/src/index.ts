export { loginAlertMigrations } from './alert-store.ts'
export { createLoginAlerts, type LoginAlerts } from './create.ts'
export type { AlertStrings } from './mail/strings/en.ts'
export type { AlertMail, AlertReport, LoginAlertsOptions } from './options.ts'
