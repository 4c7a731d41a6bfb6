import type { Random } from '../../../../markdown/test/attacks/fuzz/random.ts'

interface Tokens {
  readonly access: string
  readonly refresh: string
  readonly uid: string
}

const COUNTRIES = ['DE', 'FR', 'JP', 'unknown'] as const

/** A user who acts at random, one step after the other, until the server is killed. */
export class User {
  readonly #name: string
  readonly #random: Random
  readonly #onAnswer: () => void
  readonly #sessions: Tokens[] = []
  #credential: string | undefined
  #origin = ''
  /** The received responses that a correct server does not send. */
  readonly problems: string[] = []

  constructor(name: string, random: Random, onAnswer: () => void) {
    this.#name = name
    this.#random = random
    this.#onAnswer = onAnswer
  }

  async work(origin: string): Promise<void> {
    this.#origin = origin
    while (await this.#act());
  }

  /** @returns false when the connection broke */
  async #act(): Promise<boolean> {
    const session = this.#sessions.length > 0 ? this.#random.pick(this.#sessions) : undefined
    const chance = this.#random.below(10)
    if (!session || chance < 4) return this.#login()
    if (chance < 6) return this.#send('POST', '/logout', session, {})
    if (chance < 7)
      return this.#send('POST', '/revoke-all', session, { keep_current: this.#random.chance(0.5) })
    if (chance < 8)
      return this.#send('DELETE', `/${this.#random.pick(this.#sessions).uid}`, session)
    return this.#refresh(session)
  }

  async #login(): Promise<boolean> {
    const isKnown = this.#credential !== undefined && this.#random.chance(0.3)
    const body = {
      username: this.#name,
      password: 'x',
      ...(isKnown ? { device_credential: this.#credential } : {}),
    }
    const answer = await this.#fetch('POST', '/token', body, {
      'user-agent': this.#random.pick(COUNTRIES),
    })
    if (answer === null) return false
    const { access, refresh, device_uid: uid, device_credential: credential } = answer
    if (typeof access !== 'string') {
      this.problems.push(`A login was answered ${JSON.stringify(answer)}`)
      return true
    }
    this.#credential = String(credential)
    this.#sessions.push({ access, refresh: String(refresh), uid: String(uid) })
    // Forgets old sessions, whose devices may have been evicted.
    this.#sessions.splice(0, this.#sessions.length - 6)
    return true
  }

  async #refresh(session: Tokens): Promise<boolean> {
    const answer = await this.#fetch('POST', '/token/refresh', { refresh: session.refresh })
    if (answer === null) return false
    this.#sessions.splice(this.#sessions.indexOf(session), 1)
    const { access, refresh } = answer
    if (typeof access === 'string')
      this.#sessions.push({ ...session, access, refresh: String(refresh) })
    return true
  }

  async #send(method: string, path: string, { access }: Tokens, body?: object): Promise<boolean> {
    return (await this.#fetch(method, path, body, { authorization: `Bearer ${access}` })) !== null
  }

  async #fetch(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string> = {},
  ): Promise<Record<string, unknown> | null> {
    try {
      const response = await fetch(`${this.#origin}/trusted-devices${path}`, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      if (response.status >= 500)
        this.problems.push(`${method} ${path}: ${response.status} ${text}`)
      this.#onAnswer()
      return text === '' ? {} : JSON.parse(text)
    } catch {
      return null
    }
  }
}
