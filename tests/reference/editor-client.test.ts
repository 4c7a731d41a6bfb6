import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../packages/markdown/src/index.ts'
import { knownEmbedHosts } from '../../packages/markdown/src/policy/default-policy.ts'
import { judge } from '../../packages/markdown/test/support/judge.ts'
import {
  isTextCommand,
  TEXT_COMMANDS,
} from '../../packages/markdown-editor-element/src/commands/commands.ts'
import {
  applyEdit,
  type TextState,
} from '../../packages/markdown-editor-element/src/commands/edit.ts'
import { readMedia } from '../../packages/markdown-editor-element/src/dialogs/media-text.ts'
import { EN } from '../../packages/markdown-editor-element/src/i18n/en.ts'
import { EN_LAZY } from '../../packages/markdown-editor-element/src/i18n/en-lazy.ts'
import { shortcutOf } from '../../packages/markdown-editor-element/src/toolbar/shortcuts.ts'
import { missingReasons } from './differences.ts'

interface ClientCase {
  readonly id: string
  readonly input: Partial<TextState> & {
    readonly action?: string
    readonly key?: string
    readonly ctrlKey?: boolean
    readonly metaKey?: boolean
    readonly shiftKey?: boolean
    readonly markdown?: string
    readonly answer?: string
  }
  readonly expected: { readonly text?: string; readonly html?: string }
  readonly verdict: 'follow' | 'improve' | 'free'
}

const file = new URL('cases/editor-client.json', import.meta.url)
const all = JSON.parse(readFileSync(file, 'utf8')) as ClientCase[]
const named = (...kinds: string[]): (readonly [id: string, test: ClientCase])[] =>
  all.flatMap((test) =>
    kinds.some((kind) => test.id.startsWith(`cli-${kind}-`)) ? [[test.id, test] as const] : [],
  )

// Our command names for the actions of the original whose names differ.
const names: Readonly<Record<string, string>> = {
  h1: 'heading-1',
  h2: 'heading-2',
  h3: 'heading-3',
}

// Texts that differ from the texts of the original. The reasons are in differences.md.
const texts: Readonly<Record<string, string>> = {
  'cli-act-heading-two-lines-selected': '# one\n# two\nthree',
  'cli-act-bold-caret-in-text': '**hello** world',
  'cli-act-bold-two-lines-selected': '**one**\n**two**\nthree',
  'cli-act-bold-caret-second-line': 'one\n**two**\nthree',
  'cli-act-italic-empty': '__',
  'cli-act-italic-caret-in-text': '_hello_ world',
  'cli-act-italic-two-lines-selected': '_one_\n_two_\nthree',
  'cli-act-italic-caret-second-line': 'one\n_two_\nthree',
  'cli-act-strikethrough-empty': '~~~~',
  'cli-act-strikethrough-caret-in-text': '~~hello~~ world',
  'cli-act-strikethrough-two-lines-selected': '~~one~~\n~~two~~\nthree',
  'cli-act-strikethrough-caret-second-line': 'one\n~~two~~\nthree',
  'cli-act-code-empty': '``',
  'cli-act-code-caret-in-text': '`hello` world',
  'cli-act-code-caret-second-line': 'one\n`two`\nthree',
  'cli-act-link-caret-in-text': '[hello](url) world',
  'cli-act-ordered-list-two-lines-selected': '1. one\n2. two\nthree',
  'cli-act-horizontal-rule-empty': '---\n\n',
  'cli-act-horizontal-rule-word-selected': 'hello world\n\n---\n\n',
  'cli-act-horizontal-rule-caret-second-line': 'one\ntwo\nthree\n\n---\n\n',
  'cli-act-table-two-lines-selected':
    'one\ntwo\nthree\n\n| Header | Header |\n| ------ | ------ |\n| Cell   | Cell   |\n\n',
  'cli-act-table-caret-second-line':
    'one\ntwo\nthree\n\n| Header | Header |\n| ------ | ------ |\n| Cell   | Cell   |\n\n',
  'cli-act-code-block-word-selected': '```\nhello world\n```',
  'cli-act-code-block-two-lines-selected': '```\none\ntwo\n```\nthree',
  'cli-act-highlight-caret-in-text': '==hello== world',
  'cli-act-highlight-two-lines-selected': '==one==\n==two==\nthree',
  'cli-act-line-break-two-lines-selected': 'one\ntwo  \n\nthree',
  'cli-act-footnote-word-selected': 'hello world[^1]\n\n[^1]: ',
  'cli-act-superscript-caret-in-text': '^hello^ world',
  'cli-act-superscript-two-lines-selected': '^one^\n^two^\nthree',
  'cli-act-superscript-caret-second-line': 'one\n^two^\nthree',
  'cli-act-subscript-caret-in-text': '~hello~ world',
  'cli-act-subscript-two-lines-selected': '~one~\n~two~\nthree',
  'cli-act-subscript-caret-second-line': 'one\n~two~\nthree',
  'cli-act-details-empty':
    '<details>\n<summary>Click to expand</summary>\n\nContent here\n\n</details>\n\n',
  'cli-toggle-117': 'a b c',
  'cli-toggle-122': '~x~',
  'cli-toggle-123': '__*x*__',
  'cli-toggle-124': 'b',
  'cli-toggle-132': 'a',
  'cli-toggle-133': 'a',
  'cli-toggle-135': '## a',
  'cli-toggle-136': '### a',
  'cli-footnote-number': '[^2]a[^1] b[^1]\n\n[^1]: x\n[^2]: ',
}

// The frame URLs for inputs of the embed dialog, or null if the dialog rejects the input.
const frames: Readonly<Record<string, string | null>> = {
  'cli-embed-youtu-be': 'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=10',
  'cli-embed-youtube-embed': 'https://www.youtube-nocookie.com/embed/abc',
  'cli-embed-youtube-http-fake': null,
  'cli-embed-vimeo': 'https://player.vimeo.com/video/12345?dnt=1',
  'cli-embed-codepen': null,
  'cli-embed-iframe-srcdoc': null,
  'cli-embed-iframe-extra': null,
  'cli-embed-empty': null,
}

const rel = 'rel="nofollow ugc noopener"'
// HTML that differs from the preview of the original.
const previews: Readonly<Record<string, string>> = {
  'cli-preview-task':
    '<ul class="contains-task-list">\n<li class="task-list-item"><label><input class="task-list-item-checkbox" ' +
    'type="checkbox" disabled checked> a</label></li>\n<li class="task-list-item"><label><input ' +
    'class="task-list-item-checkbox" type="checkbox" disabled> b</label></li>\n</ul>',
  'cli-preview-table':
    '<table>\n<thead>\n<tr>\n<th align="center">a</th>\n</tr>\n</thead>\n' +
    '<tbody>\n<tr>\n<td align="center">b</td>\n</tr>\n</tbody>\n</table>',
  'cli-preview-code': '<pre><code class="language-js">let a=1\n</code></pre>',
  'cli-preview-link': `<p><a href="https://example.com" ${rel}>https://example.com</a></p>`,
  'cli-preview-typo': '<p>(c) &quot;q&quot; -- ...</p>',
  'cli-preview-onerror-quote': '<p>&lt;img src=&quot;x&quot;onerror=alert(1)&gt;</p>',
  'cli-preview-js-link': '<p><a>a</a></p>',
  'cli-preview-js-html': '<p><a>a</a></p>',
  'cli-preview-js-entity': '<p><a>a</a></p>',
  'cli-preview-js-nl': '<p><a>a</a></p>',
  'cli-preview-srcdoc': '',
  'cli-preview-iframe': `<a href="https://evil.example/" ${rel}>https://evil.example/</a>`,
  'cli-preview-iframe-js-entity': '',
  'cli-preview-meta': '',
  'cli-preview-link-tag': '',
  'cli-preview-style-unclosed': '*{display:none}',
  'cli-preview-form-unclosed': '',
  'cli-preview-code-on':
    '<p><code>&lt;b onclick=go&gt;</code> and <code>&lt;a href=javascript:x&gt;</code></p>',
  'cli-preview-on-text2': '<p>set onfoo=bar here</p>',
  'cli-preview-div-img': '<div>&lt;img src=&quot;x&quot;onerror=alert(1)&gt;</div>',
}

// Cases that need a browser refer to browser tests by title.
const inBrowser: Readonly<Record<string, readonly [file: string, test: string]>> = {
  'cli-act-image-caret-in-text': [
    'uploads/upload',
    'insert a chosen image by way of a placeholder',
  ],
  'cli-act-image-word-selected': [
    'uploads/upload',
    'insert a chosen image by way of a placeholder',
  ],
  'cli-act-image-two-lines-selected': [
    'uploads/upload',
    'insert a chosen image by way of a placeholder',
  ],
  'cli-key-undo-redo': [
    'toolbar/typing',
    'leaves redo to the browser, with Ctrl+Shift+Z and Ctrl+Y (F38)',
  ],
  'cli-fullscreen-escape': ['toolbar/typing', 'leaves full screen on Escape in the text'],
  'cli-draft-restore': [
    'drafts/drafts',
    'are offered, and restored as one undo step only on request (F21)',
  ],
  'cli-draft-overwrites': [
    'drafts/draft-merge',
    'are merged with a newer text of the server, and never overwrite it (F21)',
  ],
  'cli-draft-old': ['drafts/draft-pages', 'expire together with temporary files'],
  'cli-draft-same': ['drafts/judge', 'reads what was written'],
  'cli-draft-saved': [
    'drafts/drafts',
    'are saved a second after the last key, so that a crash loses no more',
  ],
  'cli-submit-notemp': ['uploads/submit', 'is sent unchanged if the text has no temporary file'],
  'cli-submit-fail': [
    'uploads/submit',
    'is not sent if finalize fails: the text is kept, the reason is shown, and a retry sends it (F20)',
  ],
  'cli-submit-network': [
    'uploads/submit',
    'reports that the server cannot be reached, and can be sent again',
  ],
  'cli-submit-custom-temp': [
    'uploads/submit',
    'finalizes files of another temporary folder if the widget names it (F20)',
  ],
  'cli-submit-prefix': [
    'uploads/submit',
    'replaces whole URLs, also in code, and ignores other sites (F20)',
  ],
  'cli-submit-draft-lost': [
    'drafts/draft-sent',
    'are kept until the server is known to have stored the text (F21)',
  ],
  'cli-upload-video': ['uploads/upload', 'insert a player for a video and a link for a document'],
  'cli-upload-two': [
    'uploads/upload',
    'insert several files as paragraphs and escape their names (F40)',
  ],
  'cli-upload-bracket': [
    'uploads/upload',
    'insert several files as paragraphs and escape their names (F40)',
  ],
  'cli-upload-error-json': [
    'uploads/upload-trouble',
    'report a rejected type briefly, without a retry and without an empty line',
  ],
}

describe('reference: the editor in the browser', () => {
  it.each(
    named('act', 'toggle', 'heading', 'footnote').filter(([id]) => inBrowser[id] === undefined),
  )('%s', (id, { input, expected }) => {
    const name = names[input.action ?? ''] ?? input.action ?? ''
    const { text } = run(name, stateOf(input))
    expect(text).toBe(texts[id] ?? expected.text)
  })

  it.each(named('key').filter(([id]) => inBrowser[id] === undefined))(
    '%s',
    (id, { input, expected }) => {
      const pressed: Partial<KeyboardEvent> = {
        ...{
          key: input.key ?? '',
          code: '',
          ctrlKey: input.ctrlKey ?? false,
          metaKey: input.metaKey ?? false,
        },
        ...{
          altKey: false,
          shiftKey: input.shiftKey ?? false,
          isComposing: false,
          getModifierState: () => false,
        },
      }
      const name = shortcutOf(pressed as KeyboardEvent, pressed.metaKey)
      // F38: Caps Lock changes nothing.
      expect(run(name ?? '', stateOf(input)).text).toBe(
        id === 'cli-key-bold-capslock' ? '**word**' : expected.text,
      )
    },
  )

  // The preview uses the renderer of the server, so these cases call it directly.
  const renderer = new DefaultRenderer({ highlightLanguages: [] })
  it.each(named('embed'))('%s', (id, { input }) => {
    const embed = readMedia('embed', input.answer ?? '', '', knownEmbedHosts, {
      ...EN,
      ...EN_LAZY,
    })
    const html = renderer.render('problem' in embed ? '' : embed.markdown)
    const [, src] = /<iframe src="([^"]*)"/.exec(html) ?? []
    expect(src?.replaceAll('&amp;', '&') ?? null).toBe(frames[id])
  })

  it.each(named('preview'))('%s', (id, { input, expected }) => {
    const html = renderer.render(input.markdown ?? '')
    expect(html.trim()).toBe(previews[id] ?? expected.html?.trim())
    expect(judge(html)).toEqual([])
  })

  it.each(Object.entries(inBrowser))('%s is covered by a browser test', (_, [name, test]) => {
    const folder = new URL('../../packages/markdown-editor-element/test/', import.meta.url)
    const files = [`${name}.browser.test.ts`, `${name}.test.ts`].flatMap((each) =>
      read(new URL(each, folder)),
    )
    expect(files.some((source) => source.includes(test))).toBe(true)
  })

  it('has a reason for each difference', () => {
    const differing = [
      ...Object.keys(texts),
      ...Object.keys(previews),
      ...Object.keys(frames),
      ...Object.keys(inBrowser),
    ]
    expect(missingReasons(differing)).toEqual([])
    expect(differing.filter((id) => !all.some((test) => test.id === id))).toEqual([])
    expect(all.length).toBe(159)
  })
})

function stateOf({
  text = '',
  selectionStart = 0,
  selectionEnd = 0,
}: Partial<TextState>): TextState {
  return { text, selectionStart, selectionEnd }
}

function run(name: string, state: TextState): TextState {
  const edit = isTextCommand(name) ? TEXT_COMMANDS[name].run(state) : null
  return edit === null ? state : applyEdit(state, edit)
}

function read(url: URL): string[] {
  try {
    return [readFileSync(url, 'utf8')]
  } catch {
    return []
  }
}
