import type { TokenClient } from '@quillgate/trusted-devices-client/token-client'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noChromium, sharedChromium } from '../../../../tests/support/chromium.ts'
import { startTokenSite, type TokenSite } from '../support/token-site.ts'

const PAGES = 8
const REFRESHES = 100
const HOUR = 3_600_000

interface PageGlobals {
  readonly state: { offset: number; readonly signedOut: string[] }
  readonly client: TokenClient
}

// The seed of the random numbers, so that a failure can be repeated.
const SEED = Number(process.env['QUILLGATE_TAB_SEED'] ?? Date.now() % 2 ** 32)

describe(`eight pages of Chromium (QUILLGATE_TAB_SEED=${SEED})`, () => {
  let context: BrowserContext
  let site: TokenSite
  let pages: Page[]
  let sessions: CDPSession[]
  let state = SEED
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }

  beforeAll(async () => {
    if (noChromium) return
    site = await startTokenSite(random)
    context = await (await sharedChromium()).newContext()
    pages = await Promise.all(Array.from({ length: PAGES }, () => context.newPage()))
    sessions = await Promise.all(pages.map((page) => context.newCDPSession(page)))
    for (const page of pages) await page.goto(site.url)
  })
  afterAll(async () => {
    await context?.close()
    await site?.close()
  })
  beforeEach((context) => {
    if (noChromium) context.skip(noChromium)
  })

  /** Returns the status, or 0 if there was no response. */
  const call = (page: Page): Promise<number> =>
    page.evaluate(async () => {
      const { client } = globalThis as unknown as PageGlobals
      return client.fetch('/trusted-devices').then(
        ({ status }) => status,
        () => 0,
      )
    })
  const pass = async (milliseconds: number): Promise<void> => {
    site.offset += milliseconds
    const set = (page: Page) =>
      page.evaluate((offset) => {
        ;(globalThis as unknown as PageGlobals).state.offset = offset
      }, site.offset)
    await Promise.all(pages.map(set))
  }
  const signedOut = (): Promise<string[][]> =>
    Promise.all(
      pages.map((page) =>
        page.evaluate(() => (globalThis as unknown as PageGlobals).state.signedOut),
      ),
    )
  const freeze = (index: number, state: 'frozen' | 'active'): Promise<unknown> | undefined =>
    sessions[index]?.send('Page.setWebLifecycleState', { state })

  it('stay signed in through 100 refreshes, and detect a stolen token', {
    timeout: 240_000,
  }, async () => {
    await pages[0]?.evaluate(() => (globalThis as unknown as PageGlobals).client.login('ada', 'pw'))
    const got = new Map<number, number>()
    site.lostRequests = 0.15
    site.lostAnswers = 0.2
    for (let round = 0; site.refreshes < REFRESHES; round++) {
      expect(round).toBeLessThan(400)
      await pass(random() < 0.15 ? (1 + random() * 11) * HOUR : 310_000)
      // In every tenth round, one page is frozen during its request. It wakes after the other pages
      // have continued for hours.
      const frozen = round % 10 === 5 ? Math.floor(random() * PAGES) : null
      const calls = pages.map((page) => call(page))
      if (frozen !== null) {
        await freeze(frozen, 'frozen')
        await Promise.all(calls.filter((_, index) => index !== frozen))
        for (let more = 0; more < 3; more++) {
          await pass(2 * HOUR)
          await Promise.all(pages.filter((_, index) => index !== frozen).map((page) => call(page)))
        }
        await freeze(frozen, 'active')
      }
      for (const status of await Promise.all(calls)) got.set(status, (got.get(status) ?? 0) + 1)
    }
    console.log(
      `refreshes: ${site.refreshes}, lost: ${site.lost}, statuses:`,
      Object.fromEntries(got),
    )
    expect(site.lost).toBeGreaterThan(20)

    site.lostRequests = 0
    site.lostAnswers = 0
    await pass(HOUR)
    expect(await Promise.all(pages.map((page) => call(page)))).toEqual(Array(PAGES).fill(200))
    expect((await signedOut()).flat()).toEqual([])
    expect((await site.house.devices.registry.list('1')).devices).toHaveLength(1)
    expect(site.house.signals.names()).toEqual(['device_created'])

    const stolen = await pages[0]?.evaluate(
      () => JSON.parse(localStorage.getItem('quillgate.tokens') ?? '{}').refresh,
    )
    await pass(HOUR)
    await Promise.all(pages.map((page) => call(page)))
    await pass(31_000)
    const answer = await fetch(`${site.url}/trusted-devices/token/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh: stolen }),
    })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      401,
      'token_reused',
    ])
    await pass(HOUR)
    await Promise.all(pages.map((page) => call(page)))
    await expect
      .poll(async () => (await signedOut()).map(({ length }) => length))
      .toEqual(Array(PAGES).fill(1))
    expect((await signedOut()).flat()).toContain('device_not_recognized')
  })
})
