import { describe, it } from 'vitest'
import type { S3Service } from './radosgw.ts'
import type { S3Answer } from './services.ts'
import { servicesUrl } from './services-url.ts'

/**
 * Describes tests that need a real S3 service: the gateway of Ceph, which the first such file of a
 * run starts. If it is not installed, a single test is skipped with the reason. With
 * `QUILLGATE_REQUIRE_SERVICES=1` that test fails instead.
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

/** Starts the S3 service of this run, unless it is already running. */
export async function askForS3(): Promise<S3Answer> {
  return (await (await fetch(`${servicesUrl()}/s3`)).json()) as S3Answer
}
