import { createHash, randomUUID } from 'node:crypto'
import { errorAnswer, type S3Answer, type S3Request, xmlAnswer } from './s3-wire.ts'

interface MemoryObject {
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  readonly modified: Date
}

interface Upload {
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  readonly begun: Date
  readonly parts: Map<number, Buffer>
}

export interface MemoryS3Options {
  /** The handling of `If-None-Match`: applied, ignored or rejected as unknown. @default 'kept' */
  readonly conditions?: 'kept' | 'ignored' | 'refused'
  readonly pageSize?: number
}

/** A bucket in memory that behaves like S3. It does not check signatures. */
export class MemoryS3 {
  readonly objects: Map<string, MemoryObject> = new Map()
  readonly uploads: Map<string, Upload> = new Map()
  readonly #options: Required<MemoryS3Options>

  constructor(options: MemoryS3Options = {}) {
    this.#options = { conditions: 'kept', pageSize: 1000, ...options }
  }

  answer(request: S3Request): S3Answer {
    if (!request.inBucket) return errorAnswer(404, 'NoSuchBucket')
    if (request.headers['if-none-match'] && this.#options.conditions === 'refused') {
      return errorAnswer(501, 'NotImplemented')
    }
    return this[request.operation](request)
  }

  HeadBucket(): S3Answer {
    return { status: 200 }
  }

  HeadObject({ key }: S3Request): S3Answer {
    const object = this.objects.get(key)
    return object
      ? { status: 200, headers: headersOf(object), length: object.bytes.length }
      : { status: 404 }
  }

  GetObject({ key, headers }: S3Request): S3Answer {
    const object = this.objects.get(key)
    if (!object) return errorAnswer(404, 'NoSuchKey')
    if (headers['if-match'] && headers['if-match'] !== object.etag)
      return errorAnswer(412, 'PreconditionFailed')
    const { bytes } = object
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '') ?? []
    if (first === undefined) return { status: 200, headers: headersOf(object), body: bytes }
    const [start, end] = [Number(first), Math.min(Number(last), bytes.length - 1)]
    if (start >= bytes.length) return errorAnswer(416, 'InvalidRange')
    const range = { 'content-range': `bytes ${start}-${end}/${bytes.length}` }
    return {
      status: 206,
      headers: { ...headersOf(object), ...range },
      body: bytes.subarray(start, end + 1),
    }
  }

  PutObject({ key, headers, body }: S3Request): S3Answer {
    const digest = headers['x-amz-content-sha256']
    if (digest !== createHash('sha256').update(body).digest('hex'))
      return errorAnswer(400, 'XAmzContentSHA256Mismatch')
    return this.#isTaken(key, headers) ?? this.#store(key, body, kept(headers))
  }

  CopyObject({ key, headers }: S3Request): S3Answer {
    const source = this.objects.get(sourceOf(headers))
    if (!source) return errorAnswer(404, 'NoSuchKey')
    if (headers['x-amz-copy-source-if-match'] !== source.etag)
      return errorAnswer(412, 'PreconditionFailed')
    const taken = this.#isTaken(key, headers)
    if (taken) return taken
    this.#store(key, source.bytes, source.headers)
    return xmlAnswer(`<CopyObjectResult><ETag>${source.etag}</ETag></CopyObjectResult>`)
  }

  DeleteObject({ key }: S3Request): S3Answer {
    this.objects.delete(key)
    return { status: 204 }
  }

  CreateMultipartUpload({ key, headers }: S3Request): S3Answer {
    const id = randomUUID()
    this.uploads.set(id, { key, headers: kept(headers), begun: new Date(), parts: new Map() })
    return xmlAnswer(
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    )
  }

  UploadPart({ query, body }: S3Request): S3Answer {
    const upload = this.uploads.get(query.get('uploadId') ?? '')
    if (!upload) return errorAnswer(404, 'NoSuchUpload')
    upload.parts.set(Number(query.get('partNumber')), body)
    return { status: 200, headers: { etag: etagOf(body) } }
  }

  CompleteMultipartUpload({ key, query, headers, body }: S3Request): S3Answer {
    const id = query.get('uploadId') ?? ''
    const upload = this.uploads.get(id)
    if (!upload) return errorAnswer(404, 'NoSuchUpload')
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) =>
      Number(number),
    )
    const parts = numbers.map((number) => upload.parts.get(number))
    if (parts.length === 0 || parts.includes(undefined)) return errorAnswer(400, 'InvalidPart')
    const taken = this.#isTaken(key, headers)
    if (taken) return taken
    this.uploads.delete(id)
    this.#store(key, Buffer.concat(parts as Buffer[]), upload.headers)
    return xmlAnswer(
      '<CompleteMultipartUploadResult><Bucket>bucket</Bucket></CompleteMultipartUploadResult>',
    )
  }

  AbortMultipartUpload({ query }: S3Request): S3Answer {
    return this.uploads.delete(query.get('uploadId') ?? '')
      ? { status: 204 }
      : errorAnswer(404, 'NoSuchUpload')
  }

  ListObjectsV2({ query }: S3Request): S3Answer {
    const after = query.get('continuation-token') ?? ''
    const prefix = query.get('prefix') ?? ''
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix) && key > after)
      .sort()
    const page = keys.slice(0, this.#options.pageSize)
    const items = page.map((key) => {
      const { bytes, modified } = this.objects.get(key)!
      const facts = `<Size>${bytes.length}</Size><LastModified>${modified.toISOString()}</LastModified>`
      return `<Contents><Key>${encodeURIComponent(key)}</Key>${facts}</Contents>`
    })
    const next =
      keys.length > page.length
        ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
        : ''
    const more = `<IsTruncated>${next !== ''}</IsTruncated>`
    return xmlAnswer(`<ListBucketResult>${more}${next}${items.join('')}</ListBucketResult>`)
  }

  ListMultipartUploads({ query }: S3Request): S3Answer {
    const prefix = query.get('prefix') ?? ''
    const marker = query.get('upload-id-marker') ?? ''
    const ids = [...this.uploads]
      .filter(([id, { key }]) => key.startsWith(prefix) && id > marker)
      .map(([id]) => id)
    const page = ids.sort().slice(0, this.#options.pageSize)
    const items = page.map((id) => {
      const { key, begun } = this.uploads.get(id)!
      const name = `<Key>${encodeURIComponent(key)}</Key><UploadId>${id}</UploadId>`
      return `<Upload>${name}<Initiated>${begun.toISOString()}</Initiated></Upload>`
    })
    const more = `<IsTruncated>${ids.length > page.length}</IsTruncated>`
    const next = `<NextKeyMarker>x</NextKeyMarker><NextUploadIdMarker>${page.at(-1) ?? ''}</NextUploadIdMarker>`
    return xmlAnswer(
      `<ListMultipartUploadsResult>${more}${next}${items.join('')}</ListMultipartUploadsResult>`,
    )
  }

  #isTaken(key: string, headers: S3Request['headers']): S3Answer | null {
    const isConditional = headers['if-none-match'] === '*' && this.#options.conditions === 'kept'
    return isConditional && this.objects.has(key) ? errorAnswer(412, 'PreconditionFailed') : null
  }

  #store(key: string, body: Buffer, headers: Readonly<Record<string, string>>): S3Answer {
    const bytes = Buffer.from(body)
    this.objects.set(key, { bytes, headers, etag: etagOf(bytes), modified: new Date() })
    return { status: 200, headers: { etag: etagOf(bytes) } }
  }
}

function headersOf({ headers, etag, modified }: MemoryObject): Record<string, string> {
  return { ...headers, etag, 'last-modified': modified.toUTCString() }
}

function kept(headers: S3Request['headers']): Record<string, string> {
  const names = Object.keys(headers).filter(
    (name) => name === 'content-type' || name.startsWith('x-amz-meta-'),
  )
  return Object.fromEntries(names.map((name) => [name, headers[name] ?? '']))
}

function sourceOf(headers: S3Request['headers']): string {
  return decodeURIComponent(headers['x-amz-copy-source'] ?? '').replace(/^bucket\//, '')
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}
