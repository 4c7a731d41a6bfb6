import { png } from '../../editor-fixture.ts'
import { type Application, startApplication } from './application.ts'
import type { MortalProcess } from './failpoints/mortal-process.ts'
import type { Installation } from './installation.ts'

/** A file whose upload was confirmed. */
export interface KnownFile {
  readonly url: string
  readonly bytes: Uint8Array
  /** The owner keys that the file can have in the ledger. */
  readonly owners: readonly string[]
}

/** The data of clients, which outlives the server. */
export class Memory {
  readonly files = new Map<string, KnownFile>()
  /** Texts and URLs that a scenario keeps for later. */
  text = ''
  other = ''
  urls: string[] = []
  #count = 0

  clone(): Memory {
    const copy = new Memory()
    for (const [id, file] of this.files) copy.files.set(id, file)
    copy.#count = this.#count
    return Object.assign(copy, { text: this.text, other: this.other, urls: [...this.urls] })
  }

  /** Uploads a unique image. @param claimant a user who may become its owner later */
  async upload(application: Application, user: string, claimant?: string): Promise<string> {
    const bytes = png(++this.#count)
    const url = await application.upload(user, bytes)
    const owners = [user, ...(claimant === undefined ? [] : [claimant])].map((name) =>
      name.startsWith('anon:') ? name : `user:${name}`,
    )
    this.files.set(mediaIdOf(url), { url, bytes, owners })
    return url
  }

  /** @returns a text with the temporary URLs */
  async uploadText(application: Application, user: string, count: number): Promise<string> {
    const urls: string[] = []
    for (let i = 0; i < count; i++) urls.push(await this.upload(application, user))
    return textOf(urls)
  }

  /** @returns a text with the permanent URLs */
  async permanentText(application: Application, user: string, count: number): Promise<string> {
    return (await application.finalize(user, await this.uploadText(application, user, count))).text
  }
}

export function textOf(urls: readonly string[]): string {
  return urls.map((url) => `![](${url})`).join('\n')
}

export function urlsOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)]+)\)/g)].flatMap(([, url]) => url ?? [])
}

export function mediaIdOf(url: string): string {
  return /m[0-9a-z]{26}/.exec(url)?.[0] ?? ''
}

export async function bootApplication(
  installation: Installation,
  process?: MortalProcess,
  migrate = false,
): Promise<Application> {
  const application = startApplication(installation, process, migrate)
  await application.editor.ready()
  return application
}
