import { inject } from 'vitest'

/**
 * Where to ask for the S3 service and for clients.
 *
 * @throws Error in a project of vitest.config.ts without the global setup that answers there
 */
export function servicesUrl(): string {
  const url: string | undefined = inject('servicesUrl')
  if (url !== undefined) return url
  throw new Error(
    'Nothing starts services or builds clients for the project `small`: exclude this test file from `small` in vitest.config.ts, which puts it into `large`.',
  )
}
