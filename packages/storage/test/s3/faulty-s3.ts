import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { s3 } from '../../src/s3/index.ts'
import type { S3Options } from '../../src/s3/s3-options.ts'
import { MemoryS3, type MemoryS3Options } from './memory-s3.ts'
import { errorAnswer, readRequest, type S3Answer, type S3Operation } from './s3-wire.ts'

export type Fault =
  /** Answers 500 and does not execute the request. */
  | 'error'
  /** Answers 503 SlowDown and does not execute the request. */
  | 'busy'
  /** Closes the connection and does not execute the request. */
  | 'drop'
  /** Executes the request, and closes the connection without an answer. */
  | 'lost'
  /** Never answers, and does not execute the request. */
  | 'hang'
  /** Executes the request, and never answers. */
  | 'hang-after'
  /** Executes the request, and closes the connection in the middle of the body. */
  | 'torn'
  /** Executes the request, and stops in the middle of the body. */
  | 'stuck'
  /** Executes the request, and answers one byte at a time. */
  | 'slow'
  /** Answers 200 with an error in the body, as S3 may do for copies and multipart uploads. */
  | 'error-in-200'

export class FaultyS3 {
  readonly memory: MemoryS3
  readonly requests: S3Operation[] = []
  readonly #faults = new Map<S3Operation, (Fault | null)[]>()
  readonly #always = new Map<S3Operation, Fault>()
  readonly #server: Server
  #unanswered = 0

  private constructor(options?: MemoryS3Options) {
    this.memory = new MemoryS3(options)
    this.#server = createServer(async (message, response) => {
      this.#unanswered++
      response.once('close', () => this.#unanswered--)
      const request = await readRequest(message).catch(() => null)
      if (!request) return
      this.requests.push(request.operation)
      const next = this.#faults.get(request.operation)?.shift()
      const fault = next === undefined ? this.#always.get(request.operation) : next
      responses[fault ?? 'none'](response, () => this.memory.answer(request))
    })
  }

  static async start(options?: MemoryS3Options): Promise<FaultyS3> {
    const service = new FaultyS3(options)
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve))
    return service
  }

  get endpoint(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  storage(options: Partial<S3Options> = {}): ReturnType<typeof s3> {
    const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }
    return s3({ bucket: 'bucket', endpoint: this.endpoint, credentials, timeout: 30, ...options })
  }

  /**
   * Sets the faults of the next requests of this operation, before those of `always`. `null` means
   * no fault.
   */
  next(operation: S3Operation, ...faults: (Fault | null)[]): void {
    this.#faults.set(operation, faults)
  }

  always(operation: S3Operation, fault: Fault): void {
    this.#always.set(operation, fault)
  }

  heal(): void {
    this.#faults.clear()
    this.#always.clear()
  }

  unanswered(): number {
    return this.#unanswered
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

type Respond = (response: ServerResponse, carryOut: () => S3Answer) => unknown

const responses: Readonly<Record<Fault | 'none', Respond>> = {
  none: (response, carryOut) => send(response, carryOut()),
  error: (response) => send(response, errorAnswer(500, 'InternalError')),
  busy: (response) => send(response, errorAnswer(503, 'SlowDown')),
  'error-in-200': (response) =>
    send(response, { ...errorAnswer(500, 'InternalError'), status: 200 }),
  drop: (response) => response.destroy(),
  hang: () => {},
  lost(response, carryOut) {
    carryOut()
    response.destroy()
  },
  'hang-after': (_response, carryOut) => carryOut(),
  torn: (response, carryOut) => sendHalf(response, carryOut(), () => response.destroy()),
  stuck: (response, carryOut) => sendHalf(response, carryOut(), () => {}),
  slow: (response, carryOut) => sendSlowly(response, carryOut()),
}

function writeHead(response: ServerResponse, { status, headers, body, length }: S3Answer): void {
  const size = body?.length ?? length
  response.writeHead(status, {
    ...headers,
    ...(size === undefined ? {} : { 'content-length': size }),
  })
}

function send(response: ServerResponse, answer: S3Answer): void {
  writeHead(response, answer)
  response.end(answer.body)
}

function sendHalf(response: ServerResponse, answer: S3Answer, then: () => void): void {
  const { body = Buffer.alloc(0) } = answer
  // An answer without a body cannot stop in the middle, so nothing is sent.
  if (body.length < 2) then()
  else {
    writeHead(response, answer)
    response.write(body.subarray(0, body.length / 2), then)
  }
}

async function sendSlowly(response: ServerResponse, answer: S3Answer): Promise<void> {
  writeHead(response, answer)
  for (const byte of answer.body ?? []) {
    response.write(Buffer.of(byte))
    await new Promise((resolve) => setImmediate(resolve))
  }
  response.end()
}
