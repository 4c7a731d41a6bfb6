import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useTestSite } from '../support/test-site.ts'

interface Counters {
  readonly documents: number
  readonly nodes: number
  readonly jsEventListeners: number
}

function addAndRemove(page: Page, times: number): Promise<void> {
  return page.evaluate(async (count) => {
    const form = document.querySelector('form') as HTMLFormElement
    for (let index = 0; index < count; index++) {
      const host = document.createElement('markdown-editor')
      host.setAttribute('upload-url', '/md-editor/upload')
      host.setAttribute('finalize-url', '/md-editor/finalize')
      const textarea = document.createElement('textarea')
      textarea.value = 'one **two** three'
      host.append(textarea)
      form.append(host)
      textarea.focus()
      textarea.setSelectionRange(0, 3)
      ;(host as HTMLElement & { run(name: string): void }).run('bold')
      if (index % 100 === 0) host.querySelector<HTMLElement>('[id$="-tab-preview"]')?.click()
      host.remove()
      if (index % 100 === 0) await new Promise((resolve) => setTimeout(resolve))
    }
  }, times)
}

async function count(session: CDPSession): Promise<Counters> {
  for (let round = 0; round < 3; round++) await session.send('HeapProfiler.collectGarbage')
  return session.send('Memory.getDOMCounters')
}

describe('editors that are removed', () => {
  const site = useTestSite()

  it('leave no nodes, listeners or Workers behind', { timeout: 60_000 }, async () => {
    const { page } = await site.open()
    const session = await page.context().newCDPSession(page)
    await addAndRemove(page, 20)
    // The browser does not free the last focused element until another element gets the focus.
    await page.locator('textarea').focus()
    await expect.poll(() => page.workers().length).toBe(0)
    const before = await count(session)
    await addAndRemove(page, 1000)
    await page.locator('textarea').focus()
    await expect.poll(() => page.workers().length).toBe(0)
    await expect
      .poll(async () => {
        const { nodes, jsEventListeners, documents } = await count(session)
        return {
          nodes: nodes - before.nodes < 50,
          listeners: jsEventListeners - before.jsEventListeners < 5,
          documents: documents - before.documents,
        }
      })
      .toEqual({ nodes: true, listeners: true, documents: 0 })
  })
})
