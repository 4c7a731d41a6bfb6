import { describe, it } from 'vitest'
import type { S3Service } from './radosgw.ts'
import type { S3Answer } from './services.ts'
import { servicesUrl } from './services-url.ts'

/**
 * Describes tests that need a real S3 service. The service is the S3 gateway of Ceph. The first of
 * these test files in a run starts it. If the gateway is not installed, a single test reports the
 * reason and is skipped. With `QUILLGATE_REQUIRE_SERVICES=1`, this test fails instead.
 *
 * @example
 * describeS3('s3 against radosgw', (service) => {
 *   it('…', async () => …)
 * })
 */
export function describeS3(name: string, tests: (service: S3Service) => void): void {
  describe(name, async () => {
    const answer = await askForS3()
    if ('service' in answer) return tests(answer.service)
    it('answers', (context) => {
      if ('error' in answer) throw new Error(answer.error)
      if (process.env['QUILLGATE_REQUIRE_SERVICES'] === '1') throw new Error(answer.missing)
      context.skip(answer.missing)
    })
  })
}

/** Starts the S3 service of this run if it is not running yet. */
export async function askForS3(): Promise<S3Answer> {
  return (await (await fetch(`${servicesUrl()}/s3`)).json()) as S3Answer
}
