import { isAlive, isDue, type KeptAccess, keepAccess } from './access-token.ts'
import { TokenClientError, unavailable } from './errors.ts'
import { Pause } from './pause.ts'
import type { TokenPlatform } from './platform.ts'
import { openTabChannel, type TabChannel, type TabMessage } from './tab-channel.ts'
import { createTabLock, type TabLock } from './tab-lock.ts'
import { postToken, type TokenAnswer } from './token-requests.ts'
import { createTokenStore, isSame, type StoredTokens, type TokenStore } from './token-store.ts'

/** Options of {@link TokenSession}. */
export interface SessionOptions {
  readonly platform: TokenPlatform
  readonly key: string
  readonly refreshUrl: string
  /** The timeout of a request in milliseconds. */
  readonly timeout: number
  readonly onSignedOut: (reason: string) => void
}

// The milliseconds during which a request that timed out can still arrive at the server. This time
// is the default of the server's setting `refreshGrace`. During this time, the client does not
// exchange the next token. Otherwise, the token of the late request would be two steps old, and the
// server would report theft.
const SETTLED = 30_000
const TRIES = 4
const SHORT = 3_000
const MESSAGE_DELAY = 50

/** One login that all tabs of a browser share. Only this class exchanges refresh tokens. */
export class TokenSession {
  readonly store: TokenStore
  readonly #lock: TabLock
  readonly #options: SessionOptions
  readonly #channel: TabChannel
  readonly #pause: Pause
  #access: KeptAccess | null = null
  /** The id of the last login that this tab has seen, or null if the user is signed out. */
  #login: string | null
  #exchange: Promise<string | null> | null = null

  constructor(options: SessionOptions) {
    const { platform, key } = options
    this.#options = options
    this.#pause = new Pause(platform)
    this.store = createTokenStore(platform.storage, key)
    this.#lock = createTabLock(platform, `${key}.tokens`)
    this.#channel = openTabChannel(platform, `${key}.tokens`, (message) => this.#onMessage(message))
    this.#login = this.store.read()?.login ?? null
  }

  /**
   * Returns an access token, or null if the user is signed out. Renews the token shortly before it
   * expires.
   *
   * @param refused a token that the server rejected; if it was new, the result is null
   * @throws TokenClientError if there is no valid token and the renewal failed
   */
  async access(refused: string | null = null): Promise<string | null> {
    const stored = this.look()
    if (!stored) return null
    const alive = this.#alive(stored, refused)
    if (alive && !isDue(alive, this.#now())) return alive.token
    // A new token was rejected, so its age is not the reason. Another new token would not help.
    if (
      refused !== null &&
      this.#now() - stored.storedAt < SETTLED &&
      this.#access?.step === stored.step
    ) {
      return null
    }
    try {
      this.#exchange ??= this.#renew(refused).finally(() => {
        this.#exchange = null
      })
      return await this.#exchange
    } catch (error) {
      // If the renewal fails, for example without a network, uses the old token while it is valid.
      if (alive && isAlive(alive, this.#now())) return alive.token
      throw error
    }
  }

  /**
   * Returns the stored tokens, or null if the user is signed out. Updates this tab if another tab
   * has signed in or out.
   */
  look(): StoredTokens | null {
    const stored = this.store.read()
    if (stored) this.#login = stored.login
    else if (this.#login !== null) this.#signedOut('signed_out_elsewhere')
    return stored
  }

  begin(tokens: StoredTokens, access: string): void {
    const kept = keepAccess(access, tokens.login, tokens.step, tokens.storedAt)
    this.store.begin(tokens)
    this.#login = tokens.login
    this.#pause.clear()
    this.#share(kept)
  }

  /** Ends the login in all tabs. */
  end(stored: StoredTokens, reason: string): void {
    this.store.end(stored)
    this.#channel.post({ kind: 'signed_out', login: stored.login, reason })
    this.#signedOut(reason)
  }

  close(): void {
    this.#channel.close()
  }

  async #renew(refused: string | null): Promise<string | null> {
    const before = this.store.read()
    const rest = before ? this.#pendingUntil(before) - this.#now() : 0
    if (rest > 0) await this.#options.platform.wait(rest)
    return this.#lock(async (isHeld) => {
      // If the tab was suspended, messages of other tabs may arrive late. Waits for these messages.
      const wasAway = this.#access !== null && this.#now() > this.#access.until + SETTLED
      if (wasAway) await this.#options.platform.wait(MESSAGE_DELAY)
      for (let tries = 1; ; tries++) {
        if (before) await this.#waitForMessage(before, refused)
        const renewed = await this.#tryOnce(refused, tries, isHeld)
        if (renewed !== undefined) return renewed
      }
    })
  }

  /**
   * Waits for the access token of another tab. The other tab stores the refresh token first, and
   * sends the access token shortly afterwards.
   */
  async #waitForMessage(known: StoredTokens, refused: string | null): Promise<void> {
    for (let seen = known; ; ) {
      const stored = this.store.read()
      if (!stored || isSame(stored, seen) || this.#alive(stored, refused)) return
      await this.#options.platform.wait(MESSAGE_DELAY)
      seen = stored
    }
  }

  /**
   * Tries once to renew the access token. Reads the storage immediately before the request, so that
   * the newest refresh token is sent.
   *
   * @returns the access token, null if the user is signed out, or undefined to try again
   */
  async #tryOnce(
    refused: string | null,
    tries: number,
    isHeld: boolean,
  ): Promise<string | null | undefined> {
    const { platform, refreshUrl, timeout } = this.#options
    const stored = this.look()
    if (!stored) return null
    const alive = this.#alive(stored, refused)
    if (alive && !isDue(alive, this.#now())) return alive.token
    const pendingUntil = this.#pendingUntil(stored)
    if (pendingUntil > this.#now()) throw unavailable('busy', 0, pendingUntil)
    if (this.#pause.end !== null) throw unavailable('busy', 0, this.#pause.end)
    const asked = this.#now()
    // Without the lock, other tabs may send the same token now. The next token must not be
    // exchanged until all these requests have arrived. Otherwise, the server would report a reused
    // token.
    if (!isHeld) this.store.markPending(stored, asked + SETTLED)
    const answer = await postToken(platform, refreshUrl, timeout, {
      body: { refresh: stored.refresh },
    })
    if (answer.kind === 'ok') return this.#take(stored, answer.body, asked, tries)
    if (answer.kind === 'refused') return this.#refusedBy(answer, stored, tries)
    if (answer.kind === 'unreachable' && answer.pending)
      this.store.markPending(stored, this.#now() + SETTLED)
    await this.#waitOrThrow(answer, tries)
    return undefined
  }

  #take(
    sent: StoredTokens,
    { access, refresh }: Readonly<Record<string, unknown>>,
    asked: number,
    tries: number,
  ): string | undefined {
    if (typeof access !== 'string' || typeof refresh !== 'string')
      throw unavailable('unreachable', 200, null)
    let kept: StoredTokens | null
    const next = keepAccess(access, sent.login, sent.step + 1, asked)
    try {
      kept = this.store.advance(sent, { refresh, storedAt: this.#now() })
    } catch (cause) {
      // The new access token must not be used. Its use would make the stored refresh token invalid.
      throw new TokenClientError(
        'storage_failed',
        'The new tokens could not be stored. Free storage of this site, then try again.',
        { cause },
      )
    }
    if (kept) {
      this.#pause.clear()
      this.#share(next)
      return access
    }
    if (tries < TRIES) return undefined
    throw unavailable('busy', 0, null)
  }

  #refusedBy(
    answer: TokenAnswer & { kind: 'refused' },
    sent: StoredTokens,
    tries: number,
  ): null | undefined {
    // If another tab has renewed the token or signed in again, the server has rejected an old
    // token.
    const isOld = !isSame(this.store.read(), sent)
    if (isOld && tries < TRIES) return undefined
    if (!isOld && answer.status === 401) {
      this.end(sent, answer.code)
      return null
    }
    throw new TokenClientError(answer.code, answer.detail, { status: answer.status })
  }

  /**
   * Waits briefly after the first try. After the second try, pauses all tabs and throws a
   * `TokenClientError`. Also pauses and throws if the server asks for a longer wait.
   */
  async #waitOrThrow(
    answer: TokenAnswer & { kind: 'busy' | 'unreachable' },
    tries: number,
  ): Promise<void> {
    const { wait, random } = this.#options.platform
    const asked = answer.kind === 'busy' && answer.seconds !== null ? answer.seconds * 1000 : null
    const short = (asked ?? 250) + 250 * random()
    if (tries < 2 && short <= SHORT) return wait(short)
    const until = this.#pause.begin(asked)
    this.#channel.post({ kind: 'pause', until })
    const code = answer.kind === 'busy' ? answer.code : 'unreachable'
    throw unavailable(
      code,
      answer.status,
      until,
      answer.kind === 'unreachable' ? answer.cause : undefined,
    )
  }

  #share(access: KeptAccess): void {
    this.#access = access
    this.#channel.post({ kind: 'access', access })
  }

  #onMessage(message: TabMessage): void {
    if (message.kind === 'pause') {
      this.#pause.set(message.until)
    } else if (message.kind === 'access') {
      const { login, step } = message.access
      if (login !== this.store.read()?.login) return
      this.#login = login
      if (this.#access?.login !== login || this.#access.step <= step) this.#access = message.access
      this.#pause.clear()
    } else if (message.login === this.#login && this.store.read()?.login !== message.login) {
      this.#signedOut(message.reason)
    }
  }

  #signedOut(reason: string): void {
    if (this.#login === null) return
    this.#login = null
    this.#access = null
    this.#options.onSignedOut(reason)
  }

  /**
   * Returns the time before which this tab must not exchange a token, in milliseconds since the
   * epoch. Until then, a request with the previous token can still arrive. Returns 0 if there is no
   * such request.
   */
  #pendingUntil({ pending, step }: StoredTokens): number {
    const now = this.#now()
    return pending && pending.step < step && pending.until - now <= SETTLED ? pending.until : 0
  }

  #alive(stored: StoredTokens, refused: string | null): KeptAccess | null {
    const access = this.#access
    if (access?.login !== stored.login || access.token === refused) return null
    return isAlive(access, this.#now()) ? access : null
  }

  #now(): number {
    return this.#options.platform.clock()
  }
}
