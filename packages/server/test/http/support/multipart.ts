import type { MultipartLimits } from '../../../src/http/multipart/read-multipart.ts'
import { readMultipart } from '../../../src/http/multipart/read-multipart.ts'

export interface Part {
  readonly headers: readonly string[]
  readonly content: string | Uint8Array
}

export const BOUNDARY = 'boundary'
export const LIMITS: MultipartLimits = {
  maxFileSize: 1_000_000,
  maxFiles: 10,
  maxFields: 20,
  maxFieldSize: 65_536,
}

export const field = (name: string, value: string): Part => ({
  headers: [`Content-Disposition: form-data; name="${name}"`],
  content: value,
})

export const file = (
  name: string,
  filename: string,
  content: string | Uint8Array,
  type = 'image/png',
): Part => ({
  headers: [
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"`,
    `Content-Type: ${type}`,
  ],
  content,
})

export function encode(
  parts: readonly Part[],
  end = `--${BOUNDARY}--\r\n`,
): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ headers, content }) => [
    `--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n`,
    content,
    '\r\n',
  ])
  return new Uint8Array(
    Buffer.concat([...pieces, end].map((piece) => Buffer.from(piece as string))),
  )
}

export function* inChunks(body: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += size) yield body.subarray(start, start + size)
}

export function requestOf(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  contentType = `multipart/form-data; boundary=${BOUNDARY}`,
): Request {
  return new Request('http://a.test', {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: ReadableStream.from(chunks),
    duplex: 'half',
  })
}

export async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export async function readAll(
  request: Request,
  limits: MultipartLimits = LIMITS,
): Promise<unknown[][]> {
  const seen: unknown[][] = []
  for await (const part of readMultipart(request, limits)) {
    if (part.kind === 'field') seen.push([part.name, part.value])
    else seen.push([part.name, part.filename, part.type, (await bytesOf(part.body)).toString()])
  }
  return seen
}
