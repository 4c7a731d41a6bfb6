import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Body, createFile, toForm } from './upload-files.ts'

const agents = new Map<number, Agent>()
const bodies = new Map<string, Body>()

export interface Sending {
  readonly port: number
  /** The size of each file in bytes. */
  readonly size: number
  /** True to send the file in a form, like a browser. False to send only the bytes. */
  readonly isForm: boolean
  readonly count: number
  readonly concurrency: number
}

/**
 * Sends a file repeatedly, with a number of parallel requests.
 *
 * @returns the ms from the first byte to the last response
 */
export async function send({ port, size, isForm, count, concurrency }: Sending): Promise<number> {
  const body = bodyOf(size, isForm)
  const agent = agents.get(port) ?? new Agent({ keepAlive: true })
  agents.set(port, agent)
  let left = count
  const started = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await sendOne({ port, agent }, body)
    }),
  )
  return performance.now() - started
}

function bodyOf(size: number, isForm: boolean): Body {
  const key = `${size} ${isForm}`
  let body = bodies.get(key)
  if (!body) {
    body = isForm ? toForm(createFile(size)) : createFile(size)
    bodies.set(key, body)
  }
  return body
}

async function sendOne(
  to: Pick<RequestOptions, 'port' | 'agent'>,
  { bytes, type }: Body,
): Promise<void> {
  const headers = {
    'content-type': type,
    'content-length': bytes.byteLength,
    authorization: 'Bearer ada',
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sending = request({
      ...to,
      host: '127.0.0.1',
      method: 'POST',
      path: '/md-editor/upload',
      headers,
    })
    sending.once('response', resolve).once('error', reject).end(bytes)
  })
  const answer = await text(response)
  if (response.statusCode !== 201)
    throw new Error(`The response has the status ${response.statusCode}: ${answer}`)
}
