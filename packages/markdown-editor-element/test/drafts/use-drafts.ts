import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { formPage, type OpenPage, type PageParts } from '../support/open-page.ts'
import type { TestServer } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'
import { ready } from './draft-page.ts'

export const DRAFT_KEY = 'post/1/body'

export const draftParts = (body: string, parts: PageParts = {}): PageParts => ({
  fields: { body },
  widget: { draft: { key: DRAFT_KEY, user: 'ada' } },
  ...parts,
})

export interface Drafts {
  readonly server: TestServer
  readonly formUrl: string
  /** Opens the form in a new browser context without drafts. */
  open(body: string, parts?: PageParts, options?: BrowserContextOptions): Promise<OpenPage>
  openAgain(context: BrowserContext): Promise<Page>
  /** Changes the form that the server sends to later requests. */
  serve(body: string, parts?: PageParts): void
}

export function useDrafts(): Drafts {
  const site = useTestSite()
  return {
    get server() {
      return site.server
    },
    get formUrl() {
      return `${site.server.url}/form`
    },
    async open(body, parts = {}, options = {}) {
      const opened = await site.open(draftParts(body, parts), options)
      opened.page.context().setDefaultTimeout(15_000)
      if (parts.widget === undefined) await ready(opened.page)
      return opened
    },
    async openAgain(context) {
      const page = await context.newPage()
      await page.goto(this.formUrl)
      await ready(page)
      return page
    },
    serve(body, parts) {
      site.server.pages.set('/form', formPage(site.server, draftParts(body, parts)))
    },
  }
}
