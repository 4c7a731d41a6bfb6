import { MarkdownEditorWidget } from '@quillgate/markdown-editor'
import { WIDGET_DEFAULTS } from '../../../packages/markdown-editor/src/widget/widget-defaults.ts'
import { articleMixture, generate } from '../../corpus/generated.ts'
import type { Mode, Task } from './pages/bench-page.ts'
import type { Site } from './site.ts'

/**
 * The position of the caret: at the end of the text, or before the period of a paragraph in the
 * middle of the text.
 */
export type Place = 'end' | 'middle'

/** An editor with a text, ready for typing. */
export interface Scene {
  /** The name of a page of `pages/`. */
  readonly editor: string
  /** The approximate length of the text, in characters. */
  readonly length: number
  readonly place: Place
  readonly mode: Mode
  /** The `surface` attribute of our editor. */
  readonly surface?: 'auto' | 'native'
}

// A length in characters. For longer texts, the benchmark expects that `surface="auto"` uses
// CodeMirror. The length need not be exact, because the texts of the scenes are much shorter or
// much longer.
const native = 20_000

export function addScene(site: Site, scene: Scene): { readonly url: string; readonly task: Task } {
  const task = taskOf(scene)
  return { url: site.addPage(pageOf(site, scene, task)), task }
}

export function taskOf({ editor, length, place, mode, surface }: Scene): Task {
  const text = textOf(length)
  const isNative = surface === 'native' || length <= native
  return {
    text,
    caret: place === 'end' ? text.length : middleOf(text),
    mode,
    surface: editor !== 'ours' ? null : isNative ? 'native' : 'codemirror',
  }
}

const texts = new Map<number, string>()

function textOf(length: number): string {
  const text =
    texts.get(length) ??
    `${withLocalImages(generate(length, length, articleMixture))}\nThe last paragraph`
  texts.set(length, text)
  return text
}

// Replaces the URLs of images with URLs of the site. Some editors reload all images at each
// keystroke. The browser then finds the images in its cache.
function withLocalImages(text: string): string {
  return text.replaceAll(
    /https:\/\/(?:images\.)?example\.org\/([\w/]+)\.(?:png|svg)/g,
    '/images/$1.png',
  )
}

// Returns a position in the middle of the text. The position is before the final period of a
// paragraph, outside of lists, tables and code.
function middleOf(text: string): number {
  const paragraph = /\n[A-Z][^\n]+\.(?=\n\n)/g
  paragraph.lastIndex = text.length / 2
  if (!paragraph.test(text)) throw new Error('The text has no paragraph in its second half.')
  return paragraph.lastIndex - 1
}

function pageOf(site: Site, { editor, surface }: Scene, task: Task): string {
  const isOurs = editor === 'ours'
  const hasWidget = isOurs || editor === 'bare'
  const style = hasWidget ? '/assets/markdown-editor.css' : `/pages/${editor}/page.css`
  // The script of the page waits until our script has defined the editor.
  const scripts = [`/pages/${editor}/page.js`, ...(isOurs ? ['/assets/markdown-editor.js'] : [])]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${editor}</title>
<link rel="icon" href="data:,">
${site.has(style) ? `<link rel="stylesheet" href="${style}">` : ''}
${scripts.map((src) => `<script type="module" src="${src}"></script>`).join('\n')}
</head>
<body>
<form method="post">
${hasWidget ? widgetOf(task.text, surface ?? 'auto') : '<div id="place"></div>'}
</form>
<script type="application/json" id="task">${JSON.stringify(task).replaceAll('<', '\\u003c')}</script>
</body>
</html>`
}

export function widgetOf(text: string, surface: 'auto' | 'native' | 'codemirror'): string {
  // By default, the preview does not render texts of a megabyte.
  const defaults = {
    ...WIDGET_DEFAULTS,
    assetBase: '/assets/',
    renderOptions: { maxLength: 10_000_000 },
  }
  const html = new MarkdownEditorWidget({
    height: 400,
    editor: { widgetDefaults: defaults },
  }).render('body', text)
  return html.replace('<markdown-editor', `<markdown-editor surface="${surface}"`)
}
