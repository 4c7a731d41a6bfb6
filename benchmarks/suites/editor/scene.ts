import { MarkdownEditorWidget } from '@quillgate/markdown-editor'
import { WIDGET_DEFAULTS } from '../../../packages/markdown-editor/src/widget/widget-defaults.ts'
import { articleMixture, generate } from '../../corpus/generated.ts'
import type { Mode, Task } from './pages/bench-page.ts'
import type { Site } from './site.ts'

/** Where the caret is: behind the last paragraph, or behind one in the middle of the text. */
export type Place = 'end' | 'middle'

/** An editor with a text in it, ready to be typed into. */
export interface Scene {
  /** The name of a page of `pages/`. */
  readonly editor: string
  /** About how long the text is, in characters. */
  readonly length: number
  readonly place: Place
  readonly mode: Mode
  /** The attribute of our own editor. */
  readonly surface?: 'auto' | 'native'
}

// Where `surface="auto"` changes to CodeMirror, in characters: below and above any sensible threshold.
const native = 20_000

/** Puts the page of a scene on the site. */
export function addScene(site: Site, scene: Scene): { readonly url: string; readonly task: Task } {
  const task = taskOf(scene)
  return { url: site.addPage(pageOf(site, scene, task)), task }
}

/** Returns the task of a scene's page. */
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

// The site serves these images. Peers that reload all images at each key find them in the cache.
function withLocalImages(text: string): string {
  return text.replaceAll(
    /https:\/\/(?:images\.)?example\.org\/([\w/]+)\.(?:png|svg)/g,
    '/images/$1.png',
  )
}

// Before the full stop of a paragraph: no list, table or code.
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
  // The page's script waits for what ours does.
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

/** The HTML of our editor with a text. */
export function widgetOf(text: string, surface: 'auto' | 'native' | 'codemirror'): string {
  // By default a text of a megabyte is not rendered.
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
