import { ConfigurationError } from '@quillgate/server/core'
import { s3 } from './s3.ts'
import type { S3Options } from './s3-options.ts'

/**
 * Creates an S3 storage from a URL, for example in an environment variable:
 * `s3://bucket/prefix?endpoint=…`. The query may contain `endpoint`, `publicEndpoint`, `region`,
 * `forcePathStyle` (`true` or `false`), `partSize` (bytes) and `timeout` (seconds), as in {@link
 * S3Options}.
 *
 * The AWS SDK finds the credentials, for example in `AWS_ACCESS_KEY_ID` and
 * `AWS_SECRET_ACCESS_KEY`. They may also be part of the URL, percent-encoded:
 * `s3://key:secret@bucket`.
 *
 * @throws ConfigurationError, which never contains the URL, because that may contain the secret
 * @example
 * const storage = s3FromUrl('s3://media/app?endpoint=https://storage.example.com')
 */
export function s3FromUrl(url: string): ReturnType<typeof s3> {
  return s3(parseS3Url(url))
}

function parseS3Url(text: string): S3Options {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 's3:' || url.hash !== '' || url.port !== '') {
    throw new ConfigurationError(
      's3FromUrl',
      'must be given a URL such as "s3://bucket/prefix?endpoint=…"',
    )
  }
  const prefix = decode(url.pathname.slice(1), 'prefix')
  return {
    bucket: decode(url.hostname, 'bucket'),
    ...(prefix === '' ? {} : { prefix }),
    ...credentialsOf(url),
    ...parametersOf(url.searchParams),
  }
}

function credentialsOf({ username, password }: URL): Pick<S3Options, 'credentials'> {
  if (username === '' && password === '') return {}
  return {
    credentials: {
      accessKeyId: decode(username, 'access key'),
      secretAccessKey: decode(password, 'secret key'),
    },
  }
}

const PARAMETERS: Readonly<Record<string, (value: string) => unknown>> = {
  endpoint: (value) => value,
  publicEndpoint: (value) => value,
  region: (value) => value,
  forcePathStyle: (value) => (value === 'true' || value === 'false' ? value === 'true' : value),
  partSize: Number,
  timeout: Number,
}

/** Reads options from a query. `s3` checks their values. */
function parametersOf(query: URLSearchParams): Partial<S3Options> {
  const options = [...query].map(([name, value]) => {
    const parse = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined
    if (!parse || query.getAll(name).length > 1) {
      const known = Object.keys(PARAMETERS).join(', ')
      throw new ConfigurationError(
        's3FromUrl',
        `takes each of these parameters once, and no others: ${known}`,
      )
    }
    return [name, parse(value)] as const
  })
  return Object.fromEntries(options)
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigurationError(
      's3FromUrl',
      `has a ${part} that is not percent-encoded as it should be`,
    )
  }
}
