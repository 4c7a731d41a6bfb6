import { inject } from 'vitest'

/**
 * Returns the URL from which test files request services and clients.
 *
 * @throws Error if the project of vitest.config.ts lacks the global setup in services.ts
 */
export function servicesUrl(): string {
  const url: string | undefined = inject('servicesUrl')
  if (url !== undefined) return url
  throw new Error('This project of vitest.config.ts needs globalSetup: tests/support/services.ts')
}
