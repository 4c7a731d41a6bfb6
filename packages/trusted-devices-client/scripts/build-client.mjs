// Bundles the scripts and styles for browsers: `node scripts/build-client.mjs [folder] [--sizes]`.
// The default folder is dist/client-assets. With --sizes, prints the size of each file, and the
// size that the token client adds to a bundle.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { BROWSERS } from '../../../scripts/browsers.ts'
import { tellSize, writeClient } from '../../../scripts/write-client.mjs'

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '..')

const bundle = (entryPoints, options) =>
  build({
    absWorkingDir: packageFolder,
    entryPoints,
    bundle: true,
    format: 'esm',
    target: BROWSERS,
    minify: true,
    conditions: ['@quillgate/source'],
    logLevel: 'warning',
    ...options,
  })

await writeClient(packageFolder, (folder) =>
  bundle(
    [
      { in: 'src/client/define.ts', out: 'trusted-devices' },
      { in: 'src/client/trusted-devices.css', out: 'trusted-devices' },
    ],
    { outdir: folder, splitting: true, chunkNames: '[name]-[hash]' },
  ),
)
if (process.argv.includes('--sizes')) {
  const { outputFiles } = await bundle(['src/token-client/index.ts'], { write: false })
  for (const { contents } of outputFiles)
    tellSize('token-client (bundled by the application)', contents)
}
