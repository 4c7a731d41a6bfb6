import type { CDPSession, Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { OpenPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'

const PHONE = { viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true }

/** A finger, which Playwright can only tap with. */
interface Finger {
  hold(button: Locator): Promise<void>
  moveAway(): Promise<void>
  letGo(): Promise<void>
}

async function fingerOn({ page }: OpenPage): Promise<Finger> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const send = async (
    type: 'touchStart' | 'touchMove' | 'touchEnd',
    at: { x: number; y: number }[],
  ): Promise<void> => {
    await session.send('Input.dispatchTouchEvent', { type, touchPoints: at })
  }
  return {
    async hold(button) {
      const box = await button.boundingBox()
      await send('touchStart', [{ x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 }])
    },
    moveAway: () => send('touchMove', [{ x: 100, y: 600 }]),
    letGo: () => send('touchEnd', []),
  }
}

describe('a button under a finger', () => {
  const site = useTestSite()
  /** A phone on which the part is loaded that knows of fingers, and of commands. */
  async function openOnPhone(): Promise<OpenPage> {
    const opened = await site.open({ fields: { body: '**text**' } }, PHONE)
    await opened.select(4, 4)
    await opened.page.locator('[aria-label=Bold][aria-pressed=true]').waitFor()
    return opened
  }
  const nameShown = ({ page }: OpenPage): Locator => page.locator('.md-editor-name')

  it('shows its name while it is held, and is not pressed then', async () => {
    const opened = await openOnPhone()
    const finger = await fingerOn(opened)
    for (const name of ['Bold', 'Full screen']) {
      await finger.hold(opened.button(name))
      await nameShown(opened).waitFor()
      expect(await nameShown(opened).textContent()).toBe(name)
      const [over, tip] = await Promise.all([
        opened.button(name).boundingBox(),
        nameShown(opened).boundingBox(),
      ])
      expect((tip?.y ?? 0) + (tip?.height ?? 0)).toBeLessThanOrEqual(over?.y ?? 0)
      expect(tip?.x).toBeGreaterThanOrEqual(0)
      expect((tip?.x ?? 0) + (tip?.width ?? 999)).toBeLessThanOrEqual(360)
      await finger.letGo()
      await nameShown(opened).waitFor({ state: 'detached' })
      // A browser that sends a click after all.
      await opened.button(name).dispatchEvent('click')
    }
    expect(await opened.text.inputValue()).toBe('**text**')
    expect(await opened.page.locator('[data-fullscreen]').count()).toBe(0)
    await expect
      .poll(async () => {
        await opened.button('Bold').tap()
        return opened.text.inputValue()
      })
      .toBe('text')
    expect(await nameShown(opened).count()).toBe(0)
  })

  it('shows nothing when the finger scrolls the row', async () => {
    const opened = await openOnPhone()
    const finger = await fingerOn(opened)
    await finger.hold(opened.button('Bold'))
    await nameShown(opened).waitFor()
    await finger.letGo()
    await finger.hold(opened.button('Bold'))
    await finger.moveAway()
    await opened.page.waitForTimeout(700)
    expect(await nameShown(opened).count()).toBe(0)
    await finger.letGo()
  })
})
