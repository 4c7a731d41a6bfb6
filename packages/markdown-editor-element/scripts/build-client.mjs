// Bundles the files that browsers load: `node scripts/build-client.mjs [folder] [--sizes]`. The
// default folder is dist/client-assets. With --sizes, prints the size of each file.
//
// A page loads `markdown-editor.js` and `markdown-editor.css`. `preview.worker.js` is the Worker of
// its previews.
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { BROWSERS } from '../../../scripts/browsers.ts'
import { writeClient } from '../../../scripts/write-client.mjs'
import { thirdPartyLicenses } from './third-party-licenses.mjs'

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '..')

// Scripts that are bundled separately, although others import them. In a common bundle, the shared
// code would become additional files that both must load.
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

// The rules of markdown-it that our renderer never runs, because it has its own rules for links and
// leaves typography to the author. If markdown-it writes a rule in another way, the build fails.
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
      const count = contents.split(rule).length - 1
      if (count !== 1) throw new Error(`${path} contains ${rule} ${count} times instead of once.`)
      contents = contents.replace(rule, () => `${name}, () => false]`)
    }
    return contents
  },
}

/**
 * Bundles a script and the parts that it loads later. The parts import shared code from the script.
 * Returns the paths of the bundled modules.
 */
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
    throw new Error(`${name}.js imports ${first.imports}. Every page would also load these files.`)
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

// The style sheets that lazy parts load with `loadStyles`.
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
