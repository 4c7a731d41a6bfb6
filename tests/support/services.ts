import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { clientBuilds } from './client-builds.ts'
import type { S3Service } from './radosgw.ts'
import { type Radosgw, startRadosgw, whyNoRadosgw } from './radosgw.ts'

/** The response to a test file that requests the S3 service. */
export type S3Answer =
  | { readonly service: S3Service }
  | { readonly missing: string }
  | { readonly error: string }

declare module 'vitest' {
  interface ProvidedContext {
    /** Below this URL, test files request `s3`, or `client/` followed by the name of a package. */
    servicesUrl: string
  }
}

/**
 * Starts a service or builds a client when the first test file requests it. All processes of a test
 * run share the services and clients. They are removed at the end of the test run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<Radosgw> | undefined
  const builds = clientBuilds()
  project.onTestsRerun(builds.forget)
  const startS3 = async (): Promise<S3Answer> => {
    const missing = whyNoRadosgw()
    if (missing !== null) return { missing }
    starting ??= startRadosgw()
    return starting.then(
      ({ service }) => ({ service }),
      (error: unknown) => ({ error: String(error) }),
    )
  }
  const find = (kind: string | undefined, name: string): Promise<object> => {
    return kind === 'client' ? builds.find(name) : startS3()
  }
  const server = createServer(({ url = '' }, response) => {
    const [, kind, name = ''] = url.split('/')
    find(kind, name).then((body) => response.end(JSON.stringify(body)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port')
  project.provide('servicesUrl', `http://127.0.0.1:${address.port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await builds.remove()
    await starting?.then((radosgw) => radosgw.stop()).catch(() => {})
  }
}
