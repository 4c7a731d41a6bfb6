/** A piece of Markdown, and its description. */
export interface Example {
  readonly about?: string
  readonly markdown: string
}

/** A section of the page. */
export interface Section {
  readonly title: string
  readonly about?: string
  readonly examples: readonly Example[]
}

const lines = (...text: string[]): string => text.join('\n')

/** The supported Markdown, in the order of the page. */
export const constructs: readonly Section[] = [
  {
    title: 'Text',
    about:
      'A line break stays a line break in the HTML. After two spaces or a backslash, it becomes a `<br>`.',
    examples: [
      { markdown: '*emphasis*, **strong**, ***both***, `code`, \\*plain\\*, &copy;' },
      {
        markdown: lines('First line,', 'second line\\', 'after a break.', '', 'Another paragraph.'),
      },
      {
        markdown: lines(
          '[link](/page "title"),',
          '<https://example.com>,',
          '<ada@example.com>,',
          '![picture](/p.png "title")',
        ),
      },
    ],
  },
  {
    title: 'Blocks',
    examples: [
      { markdown: lines('> A quotation', '>', '> > in it another one.') },
      { markdown: lines('- one', '- two', '  1. a list in a list', '', '7. begins with 7') },
      { markdown: lines('    code by four spaces', '', '---') },
    ],
  },
  {
    title: 'Headings and links within the text',
    about: lines(
      'A heading gets an id that begins with `user-content-`, so that no text can use an id of the page. Links to these ids',
      'are rewritten, too.',
    ),
    examples: [
      {
        markdown: lines(
          '# Getting started',
          '',
          '## Étape 2: *l’ école*',
          '',
          '## Étape 2: *l’ école*',
        ),
      },
      {
        about: 'Underlined text is a heading of level 1 or 2.',
        markdown: lines('Title', '=====', '', '[back](#title)'),
      },
    ],
  },
  {
    title: 'Tables',
    about:
      'Alignment is an attribute, because `style` is not allowed. A short row gets empty cells.',
    examples: [
      { markdown: lines('| Name | Size |', '|:-----|-----:|', '| `a`  |  1 kB |', '| b \\| c |') },
    ],
  },
  {
    title: 'Strikethrough, marks, sub- and superscript',
    about: '`~sub~` and `^sup^` cannot contain a space. Write `\\ ` for a space.',
    examples: [
      { markdown: '~~gone~~, ==marked==, H~2~O, 2^10^, P~a\\ cat~' },
      {
        about:
          'Other spellings stay text. In `a==b and c==d`, however, `b and c` is marked, so put code in backticks.',
        markdown: '~ a ~, 2^a b^, == a ==, a = b == c',
      },
    ],
  },
  {
    title: 'Task lists',
    about: 'The checkbox is disabled, and its label is the text.',
    examples: [{ markdown: lines('- [ ] write', '- [x] test', '- plain') }],
  },
  {
    title: 'Addresses',
    about:
      'Addresses that begin with `http://`, `https://` or `www.`, and mail addresses, become links.',
    examples: [
      {
        markdown: lines(
          'See https://a.example/a_(b),',
          'www.example.com/?q=1.',
          'Write to ada@example.com!',
        ),
      },
      { markdown: 'example.com, ftp://example.com, `https://example.com`' },
    ],
  },
  {
    title: 'Footnotes',
    about: lines(
      'Footnotes are numbered in the order of their first mention. If a page shows several texts, pass the option',
      '[`scope`](rendering.md#several-texts-on-one-page).',
    ),
    examples: [
      {
        markdown: lines(
          'A claim[^1],',
          'another[^why].',
          '',
          '[^1]: Its **source**.',
          '',
          '[^why]: Two paragraphs.',
          '',
          '    The second one.',
        ),
      },
    ],
  },
  {
    title: 'Alerts',
    about:
      'The option `alertTitles` translates the titles. A block with any other word is a quotation.',
    examples: [
      {
        markdown: lines(
          ...[
            '> [!NOTE]',
            '> One.',
            '',
            '> [!TIP]',
            '> Two.',
            '',
            '> [!IMPORTANT]',
            '> Three.',
            '',
          ],
          ...['> [!WARNING]', '> Mind the *gap*.', '', '> [!CAUTION]', '> Five.'],
        ),
      },
    ],
  },
  {
    title: 'Code',
    about: '[Highlighting](rendering.md#highlighting) adds classes.',
    examples: [
      { markdown: lines('```js', 'const a = "b"', '```') },
      {
        about: 'Code in an unknown language, and without a language:',
        markdown: lines('~~~brainf', '+[->+<]', '~~~', '', '```', 'plain & simple', '```'),
      },
    ],
  },
  {
    title: 'Players',
    about: lines(
      'If the address of a YouTube or Vimeo video, or of a CodePen, is alone on a line, the address becomes a sandboxed frame.',
      'Within a sentence, it becomes a link. An `<iframe>` of these sites gets the same sandbox, and keeps only its `src`,',
      '`title`, `width` and `height`.',
    ),
    examples: [{ markdown: 'https://youtu.be/dQw4w9WgXcQ?t=1m30s&si=abc' }],
  },
  {
    title: 'HTML',
    about:
      'A text may contain the tags of the [table below](#elements). Inside an HTML block, Markdown is read after an empty line.',
    examples: [
      {
        markdown:
          'Press <kbd>Ctrl</kbd>+<kbd>C</kbd>, <abbr title="HyperText">HTML</abbr>, <span lang="fr">oui</span>',
      },
      {
        markdown: lines(
          '<details open>',
          '<summary>More</summary>',
          '',
          'With **Markdown**.',
          '',
          '</details>',
        ),
      },
      {
        markdown:
          '<video src="/v.mp4" poster="/p.png" width="640" controls preload="none"></video>',
      },
    ],
  },
]

/** Markdown from which the renderer removes unsafe elements, attributes or URLs. */
export const removals: readonly Example[] = [
  { markdown: 'before <script>alert(1)</script> after' },
  { markdown: '<b onclick="alert(1)" style="position:fixed" class="x">bold</b>' },
  {
    markdown: lines(
      '[link] ![picture]',
      '',
      '[link]: javascript:alert(1)',
      '[picture]: data:image/png;base64,AAAA',
    ),
  },
  { markdown: '<a href="java&#10;script:alert(1)">link</a>' },
  { markdown: '<form action="/transfer"><input name="amount"><button>Go</button></form>' },
  { markdown: '<h2 id="login">Title</h2>' },
  { markdown: '<iframe src="https://evil.example/"></iframe>' },
  { markdown: '<img src="/p.png" width="calc(1px)" srcset="/q.png 2x">' },
  { markdown: 'a <!-- comment --> b' },
]
