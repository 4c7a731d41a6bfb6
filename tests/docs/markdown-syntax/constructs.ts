/** A piece of Markdown, and what is to be said about it. */
export interface Example {
  readonly about?: string
  readonly markdown: string
}

/** A part of the page. */
export interface Section {
  readonly title: string
  readonly about?: string
  readonly examples: readonly Example[]
}

const lines = (...text: string[]): string => text.join('\n')

/** What a text may hold, in the order of the page. */
export const constructs: readonly Section[] = [
  {
    title: 'Text',
    about:
      'A line break in the source stays one in the HTML; two spaces or a backslash before it make a `<br>`.',
    examples: [
      { markdown: '*emphasis*, **strong**, ***both***, `code`, \\*plain\\*, &copy;' },
      {
        markdown: lines('First line,', 'second line\\', 'after a break.', '', 'Another paragraph.'),
      },
      {
        markdown:
          '[link](/page "title"), <https://example.com>, <ada@example.com>, ![picture](/p.png "title")',
      },
      {
        markdown: lines('[by name][docs], [docs]', '', '[docs]: https://example.com/docs "title"'),
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
      'A heading has an id: letters and digits of any script in lower case, hyphens for spaces, at most 80 characters; a number follows the second of a name. One without letters and digits has none, and so has one written as HTML.',
      'Every id begins with `user-content-`, so that no text can take the place of an id of the page, and links within the text lead there without a script.',
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
        about: 'Underlined headings are of level 1 and 2.',
        markdown: lines('Title', '=====', '', '[back](#title)'),
      },
    ],
  },
  {
    title: 'Tables',
    about:
      'Alignment is an attribute; no `style` ever leaves the renderer. A row that is too short is filled up.',
    examples: [
      { markdown: lines('| Name | Size |', '|:-----|-----:|', '| `a`  |  1 kB |', '| b \\| c |') },
    ],
  },
  {
    title: 'Strikethrough, marks, sub- and superscript',
    about: 'There is no space in `~sub~` and `^sup^`; `\\ ` stands for one.',
    examples: [
      { markdown: '~~gone~~, ==marked==, H~2~O, 2^10^, P~a\\ cat~' },
      {
        about: 'Other spellings stay text (`a==b and c==d` is marked, though: write code as code):',
        markdown: '~ a ~, 2^a b^, == a ==, a = b == c',
      },
    ],
  },
  {
    title: 'Task lists',
    about: 'The checkbox is disabled and labelled by its text.',
    examples: [
      { markdown: lines('- [ ] write', '- [x] test', '  - [ ] by *hand*', '- plain') },
      { markdown: lines('1. [x] first', '', '2. [ ] second') },
    ],
  },
  {
    title: 'Addresses',
    about: 'Bare addresses are links, as on GitHub; what ends a sentence does not belong to them.',
    examples: [
      {
        markdown: 'See https://example.com/a_(b), www.example.com/?q=1. Write to ada@example.com!',
      },
      {
        about: 'Not without `http`, `https`, `www.` or `@`:',
        markdown: 'example.com, ftp://example.com, `https://example.com`',
      },
    ],
  },
  {
    title: 'Footnotes',
    about: lines(
      'They are numbered by their first mention and stand at the end; one that nothing mentions is not shown. Several texts on one page need the option',
      '[`scope`](rendering.md#several-texts-on-one-page), or their ids are the same.',
    ),
    examples: [
      {
        markdown: lines(
          'A claim[^1], another[^why], the first again[^1].',
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
      'The kinds are `NOTE`, `TIP`, `IMPORTANT`, `WARNING` and `CAUTION`; the option `alertTitles` translates the titles.',
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
      {
        about: 'Any other word leaves a quotation:',
        markdown: lines('> [!HINT]', '> Not an alert.'),
      },
    ],
  },
  {
    title: 'Code',
    about:
      'Code in a language of `highlightLanguages` has classes, for which [`markdown.css`](rendering.md#highlighting) has the colours. The language is never guessed.',
    examples: [
      { markdown: lines('```js', 'const a = "b" < 1 // c', '```') },
      {
        about: 'An unknown language, and none:',
        markdown: lines('~~~brainf', '+[->+<]', '~~~', '', '```', 'plain & simple', '```'),
      },
    ],
  },
  {
    title: 'Players',
    about: lines(
      'The address of a video of YouTube or Vimeo, or of a pen of CodePen, alone on a line becomes a frame: sandboxed, titled, loaded when it is near. YouTube is asked by',
      'the host that sets no cookies before a video is played, Vimeo not to track. Nothing starts by itself.',
    ),
    examples: [
      { markdown: 'https://youtu.be/dQw4w9WgXcQ?t=1m30s&si=abc' },
      { markdown: 'https://vimeo.com/76979871' },
      { markdown: 'https://codepen.io/ada/pen/abcdef' },
      {
        about: 'Within a sentence it is a link:',
        markdown: 'See https://youtu.be/dQw4w9WgXcQ there.',
      },
      {
        about:
          'Their `<iframe>` does the same; of its attributes, `src`, `title`, `width` and `height` count:',
        markdown:
          '<iframe width="560" height="315" src="https://www.youtube.com/embed/dQw4w9WgXcQ?autoplay=1" allow="autoplay"></iframe>',
      },
    ],
  },
  {
    title: 'HTML',
    about:
      'Tags may stand in a text as far as the [table below](#elements) goes. Between the tags of a block, Markdown is read after an empty line.',
    examples: [
      {
        markdown:
          'Press <kbd>Ctrl</kbd>+<kbd>C</kbd>, <u>underlined</u>, <abbr title="HyperText">HTML</abbr>, <span lang="fr">bonjour</span>',
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
        markdown: lines(
          '<figure>',
          '<img src="/p.png" alt="A picture" width="640" height="360" loading="lazy">',
          '<figcaption>A caption</figcaption>',
          '</figure>',
        ),
      },
      {
        markdown:
          '<video src="/v.mp4" poster="/p.png" width="640" controls preload="none"></video>',
      },
      {
        markdown: lines(
          '<audio controls>',
          '<source src="/a.ogg" type="audio/ogg">',
          '<source src="/a.mp3" type="audio/mpeg">',
          '</audio>',
        ),
      },
      { markdown: lines('<dl>', '<dt>Term</dt>', '<dd>Explanation</dd>', '</dl>') },
    ],
  },
]

/** What does not reach the page as its author wrote it. */
export const removals: readonly Example[] = [
  { markdown: 'before <script>alert(1)</script> after' },
  { markdown: '<style>body { display: none }</style>' },
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
  { markdown: '<li>without a list</li> </div>' },
  { markdown: '<img src="/p.png" width="calc(1px)" srcset="/q.png 2x">' },
  { markdown: '<svg><circle r="9"/></svg> <font color="red">text</font>' },
  { markdown: 'a <!-- comment --> b' },
]
