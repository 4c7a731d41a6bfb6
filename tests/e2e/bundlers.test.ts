import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build as esbuild } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { builtClient } from '../support/built-client.ts'
import { noChromium, sharedChromium } from '../support/chromium.ts'

const root = join(import.meta.dirname, '..', '..')
const ELEMENT = join(root, 'packages/markdown-editor-element/dist/element')
const ORIGIN = 'http://bundled.test'

/** The part of the API of Vite that these tests use. Vitest installs Vite. */
interface Vite {
  build(options: object): Promise<unknown>
}

/** Throws if the compiled client, which applications bundle, is older than the sources. */
async function requireFreshBuild(): Promise<void> {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const project = join(root, 'packages/markdown-editor-element/tsconfig.client.json')
  const { stdout } = await promisify(execFile)(tsc, ['-b', '--dry', project])
  if (stdout.includes('would build'))
    throw new Error(`${ELEMENT} is older than its sources: npm run build first.`)
}

/** Bundles an application into a folder. Pages load the script `main.js`. */
type Bundle = (entry: string, outdir: string) => Promise<unknown>

const BUNDLERS: Readonly<Record<'vite' | 'rolldown' | 'esbuild', Bundle>> = {
  async vite(entry, outDir) {
    const { build } = (await import(
      pathToFileURL(createRequire(createRequire(import.meta.url).resolve('vitest')).resolve('vite'))
        .href
    )) as Vite
    const output = {
      entryFileNames: 'main.js',
      chunkFileNames: '[name]-[hash].js',
      assetFileNames: '[name]-[hash][extname]',
    }
    await build({
      configFile: false,
      root: join(outDir, '..'),
      logLevel: 'silent',
      base: './',
      worker: {
        format: 'es',
        rolldownOptions: { output: { ...output, entryFileNames: '[name]-[hash].js' } },
      },
      build: { outDir, rolldownOptions: { input: entry, output } },
    })
  },
  async rolldown(entry, dir) {
    const bundle = await rolldown({
      input: { main: entry },
      platform: 'browser',
      logLevel: 'silent',
    })
    await bundle.write({
      dir,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    })
    await bundle.close()
  },
  esbuild: (entry, outdir) =>
    esbuild({
      entryPoints: { main: entry },
      bundle: true,
      splitting: true,
      format: 'esm',
      outdir,
      logLevel: 'silent',
    }),
}

describe('the element in a bundle of the application', { timeout: 60_000 }, () => {
  let folder: string
  let browser: Browser
  let assets: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quillgate-bundlers-'))
    const client = JSON.stringify(join(ELEMENT, 'index.js'))
    await writeFile(
      join(folder, 'app.js'),
      `import { MarkdownEditorElement } from ${client}\nMarkdownEditorElement.define()\n`,
    )
    if (noChromium) return
    await requireFreshBuild()
    assets = (await builtClient('markdown-editor-element')).folder
    browser = await sharedChromium()
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach((context) => {
    if (noChromium) context.skip(noChromium)
  })

  /** Opens a page with a bundle and an element with these attributes. Then opens the preview. */
  async function openPreview(bundle: string, attributes = ''): Promise<Page> {
    const page = await browser.newPage()
    await page.route(`${ORIGIN}/**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/') {
        const body = `<!doctype html><html lang="en"><head><title>Bundled</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/assets/client.css"></head>
<body><markdown-editor${attributes}><textarea name="body"># Head</textarea></markdown-editor><script type="module" src="/app/main.js"></script></body></html>`
        return route.fulfill({ contentType: 'text/html', body })
      }
      const from = pathname.startsWith('/assets/') ? assets : join(folder, bundle)
      const body = await readFile(join(from, basename(pathname))).catch(() => null)
      if (body === null) return route.fulfill({ status: 404 })
      return route.fulfill({
        contentType: pathname.endsWith('.css') ? 'text/css' : 'text/javascript',
        body,
      })
    })
    await page.goto(ORIGIN)
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.locator('.md-editor-preview').getByRole('heading', { name: 'Head' }).waitFor()
    return page
  }
  const workers = (page: Page): string[] =>
    page.workers().map((worker) => new URL(worker.url()).pathname)

  it.each([
    ['vite', [expect.stringMatching(/^\/app\/preview\.worker-.+\.js$/)]],
    ['rolldown', []],
    ['esbuild', []],
  ] as const)(
    'built by %s renders previews, in a Worker if its file exists',
    async (name, expected) => {
      await BUNDLERS[name](join(folder, 'app.js'), join(folder, name))
      const page = await openPreview(name)
      await expect.poll(() => workers(page)).toEqual(expected)
      const named = await openPreview(name, ' preview-worker="/assets/preview.worker.js"')
      await expect.poll(() => workers(named)).toEqual(['/assets/preview.worker.js'])
      await Promise.all([page.close(), named.close()])
    },
  )
})
