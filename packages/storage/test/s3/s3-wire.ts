import type { IncomingMessage } from 'node:http'

export type S3Operation =
  | 'HeadBucket'
  | 'HeadObject'
  | 'GetObject'
  | 'PutObject'
  | 'CopyObject'
  | 'DeleteObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'ListObjectsV2'
  | 'ListMultipartUploads'

export interface S3Request {
  readonly operation: S3Operation
  readonly inBucket: boolean
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

export interface S3Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** `content-length` of an answer without a body. */
  readonly length?: number
}

/** Reads a request whose path begins with a bucket. The service has only the bucket `bucket`. */
export async function readRequest(message: IncomingMessage): Promise<S3Request> {
  const url = new URL(message.url ?? '/', 'http://localhost')
  const [, bucket, ...segments] = url.pathname.split('/')
  const headers = message.headers as Record<string, string | undefined>
  const key = segments.map(decodeURIComponent).join('/')
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return {
    operation: operationOf(
      message.method ?? '',
      key,
      url.searchParams,
      'x-amz-copy-source' in headers,
    ),
    inBucket: bucket === 'bucket',
    key,
    query: url.searchParams,
    headers,
    body: Buffer.concat(chunks),
  }
}

function operationOf(
  method: string,
  key: string,
  query: URLSearchParams,
  isCopy: boolean,
): S3Operation {
  const isPart = query.has('uploadId')
  const operations: Readonly<Record<string, S3Operation>> = {
    HEAD: key === '' ? 'HeadBucket' : 'HeadObject',
    GET: key !== '' ? 'GetObject' : query.has('uploads') ? 'ListMultipartUploads' : 'ListObjectsV2',
    PUT: isPart ? 'UploadPart' : isCopy ? 'CopyObject' : 'PutObject',
    POST: query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload',
    DELETE: isPart ? 'AbortMultipartUpload' : 'DeleteObject',
  }
  const operation = operations[method]
  if (!operation) throw new Error(`No such S3 request: ${method} ${key}?${query}`)
  return operation
}

export function errorAnswer(status: number, code: string): S3Answer {
  return { ...xmlAnswer(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`), status }
}

export function xmlAnswer(content: string): S3Answer {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${content}`)
  return { status: 200, headers: { 'content-type': 'application/xml' }, body }
}
