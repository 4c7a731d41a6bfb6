import { randomBytes } from 'node:crypto'
import type { Random } from '../../../../../markdown/test/attacks/fuzz/random.ts'
import { type KnownFile, type Memory, mediaIdOf, textOf, urlsOf } from '../memory.ts'

/** Thrown if the connection broke, so that the outcome of the request is unknown. */
export class Unanswered extends Error {}

interface File extends KnownFile {
  /** The URL to use in texts. */
  current: string
  /** Whether a saved text has ever contained the file. */
  wasReferenced: boolean
}

const POSTS = 3
/** The approximate maximum size of a file in bytes. A body of this size has several chunks. */
const LARGEST = 300_000

/**
 * A user who uploads, finalizes, saves and deletes sequentially, and remembers the answered
 * requests. The outcome of a request without an answer is unknown until the server has restarted.
 */
export class User {
  readonly #name: string
  readonly #memory: Memory
  readonly #random: Random
  readonly #files: File[] = []
  /** The possible bodies of each post. Null means that the post does not exist. */
  readonly #posts = new Map<number, Set<string | null>>()
  readonly #ids: readonly number[]
  #origin = ''
  readonly problems: string[] = []
  readonly #onAnswer: () => void

  /** @param number determines the ids of the user's posts */
  constructor(number: number, memory: Memory, random: Random, onAnswer: () => void) {
    this.#onAnswer = onAnswer
    this.#name = `user${number}`
    this.#memory = memory
    this.#random = random
    this.#ids = Array.from({ length: POSTS }, (_, index) => number * POSTS + index)
    for (const id of this.#ids) this.#posts.set(id, new Set([null]))
  }

  /** The temporary URL of one of the user's files, which other users must not finalize. */
  get someUrl(): string | undefined {
    return this.#pick(this.#files)?.url
  }

  /** Sends requests until the server dies. */
  async work(origin: string, otherUsers: readonly User[]): Promise<void> {
    this.#origin = origin
    try {
      for (;;) await this.#act(otherUsers)
    } catch (error) {
      if (!(error instanceof Unanswered)) this.problems.push(`${this.#name}: ${String(error)}`)
    }
  }

  /** Compares the posts and files of a restarted server with the answered requests. */
  async compare(origin: string, posts: ReadonlyMap<number, string>): Promise<void> {
    this.#origin = origin
    for (const id of this.#ids) {
      const body = posts.get(id) ?? null
      const possible = this.#posts.get(id)
      if (possible && !possible.has(body))
        this.problems.push(`Post ${id} has an impossible body: ${body}`)
      this.#posts.set(id, new Set([body]))
    }
    this.#noteReferenced()
    await Promise.all(
      this.#files.filter((file) => this.#mustBe(file)).map((file) => this.#expectBytes(file)),
    )
  }

  /** Forgets the files that were never saved. Call it after their grace period. */
  forgetUnsaved(): void {
    this.#retain((file) => this.#referencedIds().has(mediaIdOf(file.url)))
  }

  async #act(otherUsers: readonly User[]): Promise<void> {
    const chance = this.#random.below(10)
    if (chance < 3) await this.#upload()
    else if (chance < 5) await this.#finalize()
    else if (chance < 6) await this.#finalizeForeignFile(otherUsers)
    else if (chance < 9) await this.#save()
    else await this.#delete()
  }

  async #upload(): Promise<void> {
    const bytes = Buffer.concat([
      Buffer.from('%PDF-1.7\n'),
      randomBytes(1 + this.#random.below(LARGEST)),
    ])
    const form = new FormData()
    form.append('file', new globalThis.File([bytes], 'a.pdf', { type: 'application/pdf' }))
    const { url } = await this.#request<{ url: string }>('POST', '/md-editor/upload', form)
    const known = { url, bytes, owners: [`user:${this.#name}`] }
    this.#memory.files.set(mediaIdOf(url), known)
    this.#files.push({ ...known, current: url, wasReferenced: false })
  }

  async #finalize(): Promise<void> {
    const files = this.#someFiles()
    const text = textOf(files.map(({ url }) => url))
    const { replacements, missing } = await this.#finalizeText(text)
    if (missing.length > 0) this.problems.push(`${this.#name} cannot finalize ${missing.join()}`)
    for (const file of files) file.current = replacements[file.url] ?? file.current
  }

  async #finalizeForeignFile(otherUsers: readonly User[]): Promise<void> {
    const url = this.#pick(otherUsers)?.someUrl
    if (url === undefined) return
    const { replacements } = await this.#finalizeText(textOf([url]))
    if (Object.keys(replacements).length > 0) this.problems.push(`${this.#name} could take ${url}`)
  }

  #finalizeText(
    text: string,
  ): Promise<{ replacements: Record<string, string>; missing: readonly string[] }> {
    return this.#request(
      'POST',
      '/md-editor/finalize',
      JSON.stringify({ text }),
      'application/json',
    )
  }

  async #save(): Promise<void> {
    const files = this.#someFiles()
    const { missing } = await this.#write('PUT', textOf(files.map(({ current }) => current)))
    for (const id of missing) this.problems.push(`${this.#name} saved ${id}, which was gone.`)
  }

  async #delete(): Promise<void> {
    await this.#write('DELETE', null)
  }

  async #write(method: string, body: string | null): Promise<{ missing: readonly string[] }> {
    const id = this.#pick(this.#ids) ?? 0
    this.#posts.get(id)?.add(body)
    const answer = await this.#request<{ missing: readonly string[] }>(
      method,
      `/posts/${id}`,
      body ?? undefined,
    )
    this.#posts.set(id, new Set([body]))
    this.#noteReferenced()
    return answer
  }

  #someFiles(): File[] {
    const usable = this.#files.filter((file) => this.#mustBe(file))
    return Array.from({ length: Math.min(this.#random.below(4), usable.length) }, () =>
      this.#pick(usable),
    ).flatMap((file) => file ?? [])
  }

  /** A file must exist if it was never saved, or if a post can contain it. */
  #mustBe(file: File): boolean {
    return !file.wasReferenced || this.#referencedIds().has(mediaIdOf(file.url))
  }

  #referencedIds(): Set<string> {
    const bodies = [...this.#posts.values()].flatMap((possible) => [...possible])
    return new Set(bodies.flatMap((body) => urlsOf(body ?? '').map(mediaIdOf)))
  }

  #noteReferenced(): void {
    const referenced = this.#referencedIds()
    for (const file of this.#files) file.wasReferenced ||= referenced.has(mediaIdOf(file.url))
    this.#retain((file) => this.#mustBe(file)) // The other files may be deleted.
  }

  #retain(condition: (file: File) => boolean): void {
    this.#files.splice(0, this.#files.length, ...this.#files.filter(condition))
  }

  async #expectBytes({ current, bytes }: File): Promise<void> {
    const response = await this.#fetch('GET', current)
    const received = Buffer.from(await response.arrayBuffer().catch(unanswered))
    const isRight = response.status === 200 && received.equals(bytes)
    if (!isRight)
      this.problems.push(
        `${current} of ${this.#name} is ${response.status}, ${received.length} bytes.`,
      )
  }

  async #request<Answer>(
    method: string,
    path: string,
    body?: RequestInit['body'],
    type?: string,
  ): Promise<Answer> {
    const response = await this.#fetch(method, path, body, type)
    const text = await response.text().catch(unanswered)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    this.#onAnswer()
    return JSON.parse(text) as Answer
  }

  #fetch(
    method: string,
    path: string,
    body?: RequestInit['body'],
    type?: string,
  ): Promise<Response> {
    const headers = {
      authorization: `Bearer ${this.#name}`,
      ...(type === undefined ? {} : { 'content-type': type }),
    }
    return fetch(this.#origin + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    }).catch(unanswered)
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items.length === 0 ? undefined : this.#random.pick(items)
  }
}

function unanswered(cause: unknown): never {
  throw new Unanswered('The connection broke.', { cause })
}
