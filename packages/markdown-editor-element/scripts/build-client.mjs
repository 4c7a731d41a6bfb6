// Bundles what browsers load: `node scripts/build-client.mjs [folder] [--sizes]`, into dist/client-assets unless a folder
// is named. With --sizes it tells what each file weighs.
//
// `markdown-editor.js` and `markdown-editor.css` are what a page loads; `preview.worker.js` is the Worker of its previews.
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { BROWSERS, writeClient } from '../../../scripts/write-client.mjs'
import { thirdPartyLicenses } from './third-party-licenses.mjs'

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '..')

// What is bundled by itself though others import it: all that they share with it would be files more for both.
const apart = {
  'preview.worker': 'src/preview/preview.worker.ts',
  'load-highlighter': '../markdown/src/highlighting/load-highlighter.ts',
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
      if (contents.split(rule).length !== 2)
        throw new Error(`${path} has no ${rule}, or more than one.`)
      contents = contents.replace(rule, () => `${name}, () => false]`)
    }
    return contents
  },
}

/** A script and the parts that it loads when they are used; these import from the script what they share with it. */
const bundleScript = async (dir, name, source) => {
  const bundle = await rolldown({
    cwd: packageFolder,
    input: { [name]: source },
    platform: 'browser',
    preserveEntrySignatures: 'allow-extension',
    resolve: { conditionNames: ['@quillgate/source', 'browser', 'import', 'default'] },
    transform: { target: BROWSERS },
    plugins: [keepApart, leaveOutUnused],
  })
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    hashCharacters: 'base36',
    minify: true,
  })
  await bundle.close()
  const [first] = output
  if (first.imports.length > 0)
    throw new Error(`${name}.js needs ${first.imports}: pages would load files more.`)
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}

const bundleStyles = (outdir, entryPoints) =>
  build({
    absWorkingDir: packageFolder,
    entryPoints,
    outdir,
    bundle: true,
    target: BROWSERS,
    minify: true,
  })

// What lazy parts load by `loadStyles`.
const LAZY_STYLES = {
  preview: 'src/preview/preview.css',
  dialogs: 'src/dialogs/dialogs.css',
  completion: 'src/dialogs/completion/completion.css',
  drafts: 'src/drafts/drafts.css',
  surface: 'src/surface/codemirror/surface.css',
}

await writeClient(packageFolder, async (folder) => {
  await bundleStyles(folder, [
    { in: 'src/element/markdown-editor.css', out: 'markdown-editor' },
    { in: 'src/element/client.css', out: 'client' },
    ...Object.entries(LAZY_STYLES).map(([out, source]) => ({ in: source, out })),
  ])
  const modules = await bundleScript(folder, 'markdown-editor', 'src/element/define.ts')
  for (const [name, source] of Object.entries(apart))
    modules.push(...(await bundleScript(folder, name, source)))
  await writeFile(join(folder, 'third-party-licenses.txt'), await thirdPartyLicenses(modules))
})
