import { ConfigurationError } from '@quillgate/server/core'
import { s3 } from './s3.ts'
import type { S3Options } from './s3-options.ts'

/**
 * Creates an S3 storage from a URL, for example in an environment variable:
 * `s3://bucket/prefix?endpoint=…`. The query may contain `endpoint`, `publicEndpoint`, `region`
 * and `forcePathStyle` (`true` or `false`), as in {@link S3Options}.
 *
 * The AWS SDK finds the credentials, for example in `AWS_ACCESS_KEY_ID` and
 * `AWS_SECRET_ACCESS_KEY`. The URL can also contain the credentials, percent-encoded:
 * `s3://key:secret@bucket`.
 *
 * @throws ConfigurationError. Its message never contains the URL, which may contain a secret.
 * @example
 * const storage = s3FromUrl('s3://media/app?endpoint=https://storage.example.com')
 */
export function s3FromUrl(url: string): ReturnType<typeof s3> {
  return s3(parseS3Url(url))
}

function parseS3Url(text: string): S3Options {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.hash !== '' || url.port !== '')
    throw wrongUrl('needs a URL such as "s3://bucket/prefix?endpoint=…"')
  const { username, password } = url
  const credentials = { accessKeyId: decode(username), secretAccessKey: decode(password) }
  return {
    bucket: decode(url.hostname),
    prefix: decode(url.pathname.slice(1)),
    ...(username === '' && password === '' ? {} : { credentials }),
    ...parametersOf(url.searchParams),
  }
}

const PARAMETERS: readonly string[] = ['endpoint', 'publicEndpoint', 'region', 'forcePathStyle']

function parametersOf(query: URLSearchParams): Partial<S3Options> {
  for (const name of query.keys()) {
    if (PARAMETERS.includes(name) && query.getAll(name).length === 1) continue
    throw wrongUrl(`accepts only these parameters, each at most once: ${PARAMETERS.join(', ')}`)
  }
  const { forcePathStyle, ...options } = Object.fromEntries(query)
  if (forcePathStyle === undefined) return options
  if (forcePathStyle !== 'true' && forcePathStyle !== 'false')
    throw wrongUrl('accepts only forcePathStyle=true and forcePathStyle=false')
  return { ...options, forcePathStyle: forcePathStyle === 'true' }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrongUrl('needs a URL with a valid percent-encoding')
  }
}

function wrongUrl(problem: string): ConfigurationError {
  return new ConfigurationError('s3FromUrl', problem)
}
