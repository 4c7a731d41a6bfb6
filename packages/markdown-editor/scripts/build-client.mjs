// Bundles what browsers load: `node scripts/build-client.mjs [folder] [--sizes]`, into dist/client-assets unless a folder
// is named. With --sizes it tells what each file weighs.
//
// manifest.json holds the media types of the files, and a hash over all of them. The hash is part of their URLs, so they
// can be cached for good. `markdown-editor.js` and `markdown-editor.css` are what a page loads; `preview.worker.js` is
// the Worker of its previews. `markdown.css` is for pages that show rendered markdown.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { thirdPartyLicenses } from './third-party-licenses.mjs'

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values, positionals } = parseArgs({ allowPositionals: true, options: { sizes: { type: 'boolean' } } })
const target = resolve(positionals[0] ?? join(packageFolder, 'dist/client-assets'))

// What is bundled by itself though others import it: all that they share with it would be files more for both.
const apart = {
  'preview.worker': 'src/client/preview/preview.worker.ts',
  'load-highlighter': 'src/rendering/browser/load-highlighter.ts',
}
const keepApart = {
  name: 'keep-apart',
  resolveId(path, importer, { kind }) {
    if (kind !== 'dynamic-import' || importer === undefined || !path.endsWith('.ts')) return null
    const source = relative(packageFolder, join(dirname(importer), path))
    const name = Object.keys(apart).find((key) => apart[key] === source)
    return name === undefined ? null : { id: `./${name}.js`, external: 'relative' }
  },
}

// What markdown-it brings along and our renderer never runs: it has rules of its own for links, and leaves typography to
// the author. A version of markdown-it that is written otherwise fails here.
const UNUSED_RULES = [
  '["linkify", linkify$1]',
  '["linkify", linkify]',
  '["replacements", replace]',
  '["smartquotes", smartquotes]',
]
const leaveOutUnused = {
  name: 'leave-out-unused',
  async load(path) {
    if (/[\\/]linkify-it[\\/]build[\\/]index\.mjs$/.test(path)) return 'export class LinkifyIt {}'
    if (!/[\\/]markdown-it\.mjs$/.test(path)) return null
    let contents = await readFile(path, 'utf8')
    for (const rule of UNUSED_RULES) {
      const name = rule.slice(0, rule.indexOf(','))
      if (contents.split(rule).length !== 2) throw new Error(`${path} has no ${rule}, or more than one.`)
      contents = contents.replace(rule, () => `${name}, () => false]`)
    }
    return contents
  },
}

const TARGET = ['es2023', 'chrome123', 'firefox121', 'safari17.5']

/** A script and the parts that it loads when they are used; these import from the script what they share with it. */
const bundleScript = async (dir, name, source) => {
  const bundle = await rolldown({
    cwd: packageFolder,
    input: { [name]: source },
    platform: 'browser',
    preserveEntrySignatures: 'allow-extension',
    resolve: { conditionNames: ['@quillgate/source', 'browser', 'import', 'default'] },
    transform: { target: TARGET },
    plugins: [keepApart, leaveOutUnused],
  })
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    hashCharacters: 'base36',
    minify: true,
    sourcemap: true,
  })
  await bundle.close()
  const [first] = output
  if (first.imports.length > 0) throw new Error(`${name}.js needs ${first.imports}: pages would load files more.`)
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}

const bundleStyles = (outdir, entryPoints) =>
  build({
    absWorkingDir: packageFolder,
    entryPoints,
    outdir,
    bundle: true,
    target: TARGET,
    minify: true,
    sourcemap: 'linked',
  })

// What lazy parts load by `loadStyles`.
const LAZY_STYLES = {
  preview: 'src/client/preview/preview.css',
  dialogs: 'src/client/dialogs/dialogs.css',
  completion: 'src/client/completion/completion.css',
  drafts: 'src/client/drafts/drafts.css',
}

const TYPES = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

/** The hash over all files, and the media type of each. */
const describe = async (folder) => {
  const hash = createHash('sha256')
  const files = {}
  for (const name of (await readdir(folder)).sort()) {
    const bytes = await readFile(join(folder, name))
    hash.update(`${name}\0${bytes.length}\0`).update(bytes)
    files[name] = TYPES[extname(name)]
    if (values.sizes && /\.(?:js|css)$/.test(name))
      console.log(`${name}  ${bytes.length} bytes, ${gzipped(bytes)} gzipped`)
  }
  return { hash: hash.digest('hex').slice(0, 16), files }
}

const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length

// Built beside the target and moved in one step, so that a server never sees half of it.
const fresh = `${target}.${process.pid}`
try {
  await mkdir(fresh, { recursive: true })
  await bundleStyles(fresh, [
    { in: 'src/client/markdown-editor.css', out: 'markdown-editor' },
    { in: 'src/client/client.css', out: 'client' },
    { in: 'src/styles/markdown.css', out: 'markdown' },
    ...Object.entries(LAZY_STYLES).map(([out, source]) => ({ in: source, out })),
  ])
  const modules = await bundleScript(fresh, 'markdown-editor', 'src/client/define.ts')
  for (const [name, source] of Object.entries(apart)) modules.push(...(await bundleScript(fresh, name, source)))
  await writeFile(join(fresh, 'third-party-licenses.txt'), await thirdPartyLicenses(modules))
  const manifest = await describe(fresh)
  await writeFile(join(fresh, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await rm(target, { recursive: true, force: true })
  await rename(fresh, target)
} finally {
  await rm(fresh, { recursive: true, force: true })
}
