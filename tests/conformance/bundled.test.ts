import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FormBrowser, signInAndPost } from '../support/form-browser.ts'

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)

// These tests bundle applications without any configuration for Quillgate.
describe('a bundled application', () => {
  let folder: string
  let server: ChildProcess | undefined
  beforeEach(async () => {
    // The folder is below the root, so that imports of packages resolve.
    await mkdir(join(root, '.vitest'), { recursive: true })
    folder = await mkdtemp(join(root, '.vitest', 'bundled-'))
  })
  afterEach(async () => {
    if (server?.exitCode === null && server.kill()) await once(server, 'exit')
    server = undefined
    await rm(folder, { recursive: true, force: true })
  })

  /** Starts a program. Returns the origin that the program prints. */
  async function start(cwd: string, ...args: string[]): Promise<string> {
    const child = spawn(process.execPath, args, { cwd, env: ENVIRONMENT })
    server = child
    let printed = ''
    return new Promise((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        printed += chunk
        const [origin] = /http:\/\/localhost:\d+/.exec(printed) ?? []
        if (origin !== undefined) resolve(origin)
      })
      child.on('exit', () => reject(new Error(`The server ended: ${printed}`)))
    })
  }

  it('with Next signs in, uploads, renders and serves the editor', {
    timeout: 120_000,
  }, async () => {
    const app = join(folder, 'next')
    await cp(join(root, 'examples', 'next'), app, { recursive: true })
    await cp(join(root, 'examples', 'application.ts'), join(app, 'application.ts'))
    await writeFile(join(app, 'package.json'), JSON.stringify({ private: true }))
    const next = join(root, 'node_modules', 'next', 'dist', 'bin', 'next')
    await run(process.execPath, [next, 'build'], { cwd: app, env: ENVIRONMENT })
    const browser = new FormBrowser(await start(app, next, 'start', '--port', '0'))

    await signInAndPost(browser)
  })

  it('with esbuild renders and serves the editor, without the drivers of other databases', async () => {
    const entry = join(folder, 'app.ts')
    await writeFile(entry, APPLICATION)
    const outfile = join(folder, 'app.cjs')
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      logLevel: 'error',
      alias: Object.fromEntries(DRIVERS.map((name) => [name, './not-installed.js'])),
    })
    const browser = new FormBrowser(await start(folder, outfile))
    const page = await (await browser.get('/')).text()
    expect(page).toContain('<em>red</em>')
    const [script = ''] = /\/md-editor\/assets\/[^"]*/.exec(page) ?? []
    expect((await browser.get(script)).status).toBe(200)
  })
})

const DRIVERS = ['pg', 'mysql2', '@electric-sql/pglite']
const ENVIRONMENT = { PATH: process.env['PATH'], NEXT_TELEMETRY_DISABLED: '1' }

const APPLICATION = `
import { createServer } from 'node:http'
import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/node'

const secret = 'a secret of at least thirty-two bytes'
const gate = createQuillgate({ secret, database: 'sqlite::memory:' })
const editor = createMarkdownEditor(gate, { storage: localFiles('./media'), authenticate: () => null })
const handle = mount(gate)
const server = createServer((req, res) =>
  handle(req, res, () => void res.end(editor.widget().assets.js + '"' + editor.renderer.render('*red*'))),
)
server.listen(0, () => console.log('http://localhost:' + server.address().port))
`
