import { inject } from 'vitest'

/**
 * Returns the URL for services and clients.
 *
 * @throws Error in a project of vitest.config.ts without the global setup that serves it
 */
export function servicesUrl(): string {
  const url: string | undefined = inject('servicesUrl')
  if (url !== undefined) return url
  throw new Error('This project of vitest.config.ts needs globalSetup: tests/support/services.ts')
}
