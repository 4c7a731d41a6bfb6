import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { BROWSERS } from '../../../scripts/browsers.ts'

const folder = fileURLToPath(new URL('./pages/', import.meta.url))

export interface Peer {
  readonly name: string
  readonly style?: string
}

/** The other editors, by the names of their pages. */
export const peers: Readonly<Record<string, Peer>> = {
  easymde: { name: 'EasyMDE', style: 'easymde/dist/easymde.min.css' },
  bytemd: { name: 'ByteMD', style: 'bytemd/dist/index.min.css' },
  overtype: { name: 'OverType' },
  'md-editor-rt': { name: 'md-editor-rt', style: 'md-editor-rt/lib/style.css' },
  'toast-ui': { name: 'Toast UI Editor', style: '@toast-ui/editor/dist/toastui-editor.css' },
}

/**
 * Bundles a page in the same way as our own client. Writes `page.js` and the scripts that it loads
 * later. If the editor of the page has a style sheet, also writes `page.css`.
 *
 * @param name - the name of a file in `pages/`
 * @param external - packages to leave out
 */
export async function buildPage(
  name: string,
  dir: string,
  external: readonly string[] = [],
): Promise<void> {
  const bundle = await rolldown({
    input: { page: `${folder}${name}.ts` },
    platform: 'browser',
    external: [...external],
    resolve: { conditionNames: ['browser', 'import', 'default'] },
    transform: { target: BROWSERS, define: { 'process.env.NODE_ENV': '"production"' } },
    onLog: () => {}, // Ignores warnings about the packages of other editors.
  })
  await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
  })
  await bundle.close()
  const style = peers[name]?.style
  if (style === undefined) return
  const stdin = { contents: `@import '${style}';`, resolveDir: folder, loader: 'css' } as const
  const outfile = join(dir, 'page.css')
  await build({ stdin, outfile, bundle: true, target: BROWSERS, minify: true })
}
