import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// Installs the packed files like `npm install`, and runs them in Node without the import condition
// for the sources.
const root = join(import.meta.dirname, '..', '..')
const names = globSync('*/package.json', { cwd: join(root, 'packages') }).map(dirname)
// The folder is below the node_modules of the root. Imports therefore find our packages in this
// folder, and third-party packages in the root.
const parent = join(root, 'node_modules', '.cache')

interface Manifest {
  name: string
  exports: Record<string, string | { types: string; default: string }>
  bin?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

describe('the packed packages', () => {
  let folder: string
  const installed = (name: string): string => join(folder, 'node_modules', '@quillgate', name)
  const filesOf = (folderOf: string): string[] =>
    readdirSync(folderOf, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folderOf, join(entry.parentPath, entry.name)))
  const manifestOf = (name: string): Manifest =>
    JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8'))

  beforeAll(() => {
    mkdirSync(parent, { recursive: true })
    folder = mkdtempSync(join(parent, 'packed-'))
    for (const name of names) {
      const workspace = join(root, 'packages', name)
      const output = execFileSync(
        'npm',
        ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
        {
          cwd: workspace,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      )
      const [packed] = JSON.parse(output) as { filename: string }[]
      mkdirSync(installed(name), { recursive: true })
      execFileSync('tar', [
        '-xzf',
        join(folder, packed?.filename ?? ''),
        '--strip-components=1',
        '-C',
        installed(name),
      ])
    }
  })

  afterAll(() => {
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  const run = (code: string): string =>
    execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: folder,
      encoding: 'utf8',
    }).trim()

  it.each(names)('@quillgate/%s contains every file that its exports name', (name) => {
    const { exports, bin = {} } = manifestOf(name)
    const files = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target.types, target.default],
    )
    expect(
      [...files, ...Object.values(bin)].filter((file) => !existsSync(join(installed(name), file))),
    ).toEqual([])
  })

  it.each(names)('@quillgate/%s has neither sources nor source maps', (name) => {
    const files = filesOf(installed(name))
    expect(files.filter((file) => /\.map$|^src\//.test(file))).toEqual([])
  })

  it('need at most 1.5 MB for the server side of the editor', () => {
    const bytes = filesOf(installed('markdown-editor')).map(
      (file) => statSync(join(installed('markdown-editor'), file)).size,
    )
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_500_000)
  })

  // With a required peer dependency, npm did not finish its search for versions. See
  // docs/decisions/0028 and `node scripts/check-install.mjs`.
  it.each(names)('@quillgate/%s has only optional peers', (name) => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(name)
    expect(
      Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional),
    ).toEqual([])
  })

  it.each(names)('@quillgate/%s can be loaded by import and by require', (name) => {
    const { exports } = manifestOf(name)
    const subpaths = Object.entries(exports)
      .filter(([path, target]) => typeof target !== 'string' && !path.endsWith('.css'))
      .filter(([path]) => path !== './testing/suites') // This module works only inside of Vitest.
      .map(([path]) => `@quillgate/${name}${path.slice(1)}`)
    const code = `
      import { createRequire } from 'node:module'
      const require = createRequire(import.meta.url + '/x.js')
      for (const path of ${JSON.stringify(subpaths)}) {
        const a = Object.keys(await import(path)).sort().join()
        const b = Object.keys(require(path)).filter((key) => key !== '__esModule').sort().join()
        if (a !== b) throw new Error(path + ': import gives ' + a + ', require gives ' + b)
        console.log(path)
      }`
    expect(run(code).split('\n')).toEqual(subpaths)
  })

  const specified = [
    'MarkdownEditorWidget',
    'Textarea',
    'MarkdownEditorAdminMixin',
    'ModelAdmin',
    'MarkdownCleanupMixin',
    'BaseRenderer',
    'DefaultRenderer',
    'BaseUploadHandler',
    'DefaultUploadHandler',
    'ValidationError',
    'extractMediaUrls',
  ]

  it('export every specified name from the root of the editor, without optional peers', () => {
    const { peerDependencies = {} } = manifestOf('markdown-editor')
    const output = run(`
      import { registerHooks } from 'node:module'
      const peers = ${JSON.stringify(Object.keys(peerDependencies).filter((name) => name !== 'kysely'))}
      registerHooks({
        resolve(name, context, next) {
          if (peers.some((peer) => name === peer || name.startsWith(peer + '/'))) throw new Error('loads ' + name)
          return next(name, context)
        },
      })
      const root = await import('@quillgate/markdown-editor')
      console.log(${JSON.stringify(specified)}.filter((name) => typeof root[name] !== 'function').join() || 'all')`)
    expect(output).toBe('all')
  })

  it('serve the assets of a widget that was created without an editor', () => {
    const output = run(`
      import { createMarkdownEditor, localFiles, MarkdownEditorWidget } from '@quillgate/markdown-editor'
      import { createQuillgate } from '@quillgate/server'
      const gate = createQuillgate({ secret: 'x'.repeat(32), database: 'sqlite::memory:' })
      const editor = createMarkdownEditor(gate, { storage: localFiles('./media'), authenticate: () => null })
      const { js, css } = new MarkdownEditorWidget().assets
      const answers = await Promise.all([...js, ...css].map((url) => gate.fetch(new Request(new URL(url, 'http://localhost')))))
      console.log(answers.map(({ status, headers }) => status + ' ' + headers.get('content-type')).join())
      await gate.close()`)
    expect(output).toMatch(/^200 text\/javascript[^,]*,200 text\/css[^,]*$/)
  })

  it('warn once without markdown-it, and show unrendered text on pages and in previews', () => {
    const bare = mkdtempSync(join(tmpdir(), 'without-markdown-it-'))
    const modules = join(bare, 'node_modules')
    cpSync(join(folder, 'node_modules'), modules, { recursive: true })
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (!/^\.|^@quillgate$|^markdown-it$/.test(name))
        symlinkSync(join(root, 'node_modules', name), join(modules, name))
    }
    const code = `
      import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
      import { createQuillgate } from '@quillgate/server'
      const gate = createQuillgate({ secret: 'x'.repeat(32), database: 'sqlite::memory:' })
      const editor = createMarkdownEditor(gate, { storage: localFiles('./media'), authenticate: () => null })
      await gate.ready()
      console.log(editor.renderer.render('**a** <b>'))
      console.log(editor.widget().render('body', ''))
      await gate.close()`
    try {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '--eval', code],
        {
          cwd: bare,
          encoding: 'utf8',
          env: { ...process.env, NODE_NO_WARNINGS: '1' },
        },
      )
      expect(stderr.trim()).toBe(
        'quillgate: the package markdown-it is not installed, so pages and previews show texts without formatting. ' +
          'Run "npm install markdown-it", or pass the option renderer.',
      )
      expect(stdout).toContain('**a** &lt;b&gt;')
      expect(stdout).toContain(' render-options="{&#34;markdownIt&#34;:null}"')
    } finally {
      rmSync(bare, { recursive: true, force: true })
    }
  })

  it('render markdown, register a device and serve the client', () => {
    const output = run(`
      import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
      import { createTrustedDevices } from '@quillgate/trusted-devices'
      import { createQuillgate } from '@quillgate/server'
      const gate = createQuillgate({ secret: 'x'.repeat(32), database: 'sqlite::memory:' })
      const devices = createTrustedDevices(gate, { users: { findById: (id) => ({ id }) } })
      const editor = createMarkdownEditor(gate, { storage: localFiles('./media') })
      const request = new Request('http://localhost/login')
      const { device } = await devices.login({ id: '1' }, request, { transport: 'bearer' })
      const script = await gate.fetch(new Request(new URL(editor.widget().assets.js[0], 'http://localhost')))
      console.log(editor.renderer.render('**bold**').trim(), device.userId, script.status)
      await gate.close()`)
    expect(output).toBe('<p><strong>bold</strong></p> 1 200')
  })
})
