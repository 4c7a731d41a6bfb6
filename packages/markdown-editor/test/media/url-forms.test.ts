import { DefaultRenderer, extractMediaUrls } from '@quillgate/markdown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { idOf, keyOfUrl, openEditor, png, type TestEditor } from '../editor-fixture.ts'

interface Form {
  readonly name: string
  readonly text: (path: string) => string
  /** Whether finalizing replaces the URL with the permanent one. */
  readonly finalize: boolean
  /** Whether `deleteOrphanedMedia` deletes the file when this text is replaced. */
  readonly deletes: boolean
  /** Whether a new text or a saved record with this text keeps the file. */
  readonly protects: boolean
  /** Whether `extractMediaUrls` returns a URL with the id. */
  readonly extracts: boolean
  /** Whether the rendered page loads the URL or links to it. */
  readonly renders: boolean
  /** The name of the uploaded file. @default 'photo.png' */
  readonly file?: string
}

type Flags = Partial<Omit<Form, 'name' | 'text'>>
const all: Omit<Form, 'name' | 'text'> = {
  finalize: true,
  deletes: true,
  protects: true,
  extracts: true,
  renders: true,
}
const none: typeof all = {
  finalize: false,
  deletes: false,
  protects: true,
  extracts: false,
  renders: false,
}
/** A mention, for example in code. It is finalized, but `deleteOrphanedMedia` keeps the file. */
const mentionedFlags: typeof all = { ...none, finalize: true }
/** A URL that the page uses but that is not the URL of a medium. Only its id protects the file. */
const foreignFlags: typeof all = { ...none, extracts: true, renders: true }

const used = (name: string, text: Form['text'], flags: Flags = {}): Form => ({
  name,
  text,
  ...all,
  ...flags,
})
const foreign = (name: string, text: Form['text'], flags: Flags = {}): Form => ({
  name,
  text,
  ...foreignFlags,
  ...flags,
})
const mentioned = (name: string, text: Form['text'], flags: Flags = {}): Form => ({
  name,
  text,
  ...mentionedFlags,
  ...flags,
})

const ORIGIN = 'https://example.com'
const CDN = 'https://cdn.example.net:8443/assets/v1/'
const key = (path: string): string => keyOfUrl(path)
const swap = (from: string | RegExp, to: string) => (path: string) =>
  `![a](${path.replace(from, to)})`
const beforeId = (segments: string) => swap(/(?=m[0-9a-z]{26})/, segments)
const percent = (text: string): string =>
  text.replaceAll(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`)
const decimal = (text: string): string => text.replaceAll(/./g, (one) => `&#${one.charCodeAt(0)};`)

const hosts: readonly Form[] = [
  used('a path', (path) => `![a](${path})`),
  used('the configured origin', (path) => `![a](${ORIGIN}${path})`),
  used('the configured origin with its port', (path) => `![a](${ORIGIN}:443${path})`),
  used('the configured origin in capitals', (path) => `![a](HTTPS://EXAMPLE.COM${path})`),
  used('without a scheme', (path) => `![a](//example.com${path})`),
  used('a CDN with port and path', (path) => `![a](${CDN}${key(path)})`),
  used('a CDN without a scheme', (path) => `![a](//cdn.example.net:8443/assets/v1/${key(path)})`),
  used('a CDN in capitals', (path) => `![a](https://CDN.Example.NET:8443/assets/v1/${key(path)})`),
  used('a CDN configured in capitals', (path) => `![a](https://upper.example/m/${key(path)})`),
  used('a Unicode host', (path) => `![a](https://bücher.example/m/${key(path)})`),
  used('a Unicode host in capitals', (path) => `![a](https://BÜCHER.example/m/${key(path)})`),
  used('a host in punycode', (path) => `![a](https://xn--bcher-kva.example/m/${key(path)})`),
  used('a CDN with a signed query', (path) => `![a](${CDN}${key(path)}?token=a%2Fb&expires=1)`),
  foreign('another host', (path) => `![a](https://other.example${path})`),
  foreign('another host without a scheme', (path) => `![a](//other.example${path})`),
  foreign('another scheme', (path) => `![a](http://example.com${path})`),
  foreign('another port', (path) => `![a](${ORIGIN}:8443${path})`),
  foreign(
    'the CDN without its port',
    (path) => `![a](https://cdn.example.net/assets/v1/${key(path)})`,
  ),
  foreign('the CDN without its path', (path) => `![a](https://cdn.example.net:8443/${key(path)})`),
  foreign(
    'the path of the application on the CDN',
    (path) => `![a](https://cdn.example.net:8443${path})`,
  ),
  foreign(
    'a path that starts with the CDN path',
    (path) => `![a](https://cdn.example.net:8443/assets/v12/${key(path)})`,
  ),
  foreign('a host that starts with our host', (path) => `![a](${ORIGIN}.evil.example${path})`),
  foreign('a host that ends with our host', (path) => `![a](https://evilexample.com${path})`),
  foreign('a subdomain of our host', (path) => `![a](https://www.example.com${path})`),
  foreign(
    'our host with a final dot, which is another origin',
    (path) => `![a](https://example.com.${path})`,
  ),
  foreign(
    'our host as the user name of another host',
    (path) => `![a](https://example.com@evil.example${path})`,
    {
      renders: true,
    },
  ),
  foreign('our host with a user name', (path) => `![a](https://user:pass@example.com${path})`),
  foreign(
    'our path in the query of another URL',
    (path) => `![a](https://evil.example/?u=${path})`,
  ),
  foreign('our path in a fragment', (path) => `![a](#${path})`),
  foreign('our path after another path', (path) => `![a](/x${path})`),
  foreign('a path that starts like mediaUrl', (path) => `![a](/media-private/${key(path)})`),
  foreign('a path without its first slash', (path) => `![a](${path.slice(1)})`),
  foreign('a path with a parent folder', (path) => `![a](..${path})`),
  foreign('our path in capitals', (path) => `![a](/MEDIA/${key(path)})`),
  foreign('a scheme without slashes', (path) => `![a](https:${path})`),
  foreign('the scheme file', (path) => `![a](file://${path})`, { renders: false }),
  foreign('the scheme javascript', (path) => `[a](javascript:${path})`, { renders: false }),
]

const spellings: readonly Form[] = [
  used('a query', swap(/$/, '?w=300&h=200')),
  used('a fragment', swap(/$/, '#t=10,20')),
  used('query and fragment', swap(/$/, '?a=/b/../c#d?e')),
  used('an empty query', swap(/$/, '?')),
  used('a percent-encoded letter', swap('photo', 'ph%6Fto')),
  used('a letter percent-encoded in lower case', swap('photo', 'ph%6fto')),
  used('a percent-encoded hyphen in the folder', swap('md-editor', 'md%2Deditor')),
  used('a percent-encoded first segment', swap('/media/', `/${percent('media')}/`)),
  used('a percent-encoded id', (path) => `![a](${path.replace(idOf(path), percent(idOf(path)))})`),
  used('all characters percent-encoded', (path) => `![a](${path.replaceAll(/[^/]/g, percent)})`),
  used('another name after the id', swap(/-photo/, '-holiday')),
  used('another extension', swap('.png', '.jpg')),
  used('no extension', swap('.png', '')),
  used('an umlaut', (path) => `![a](${decodeURIComponent(path)})`, { file: 'größe.png' }),
  used('a percent-encoded umlaut', (path) => `![a](${path})`, { file: 'größe.png' }),
  used(
    'an umlaut percent-encoded in lower case',
    (path) => `![a](${path.replaceAll(/%../g, (code) => code.toLowerCase())})`,
    { file: 'größe.png' },
  ),
  used('a decomposed umlaut', (path) => `![a](${decodeURIComponent(path).normalize('NFD')})`, {
    file: 'größe.png',
  }),
  used(
    'a decomposed and percent-encoded umlaut',
    (path) => `![a](${encodeURI(decodeURIComponent(path).normalize('NFD'))})`,
    { file: 'größe.png' },
  ),
  used('letters of another script', (path) => `![a](${decodeURIComponent(path)})`, {
    file: '写真.png',
  }),
  used('a named character reference', (path) => `![a](${path}?a=1&amp;b=2)`),
  used('slashes as character references', (path) => `![a](${path.replaceAll('/', '&#x2f;')})`),
  used('slashes as decimal references', (path) => `![a](${path.replaceAll('/', '&#47;')})`),
  used('a hyphen as a decimal reference', swap('-', '&#45;')),
  used('slashes as named references', (path) => `![a](${path.replaceAll('/', '&sol;')})`),
  used(
    'the id as character references',
    (path) => `![a](${path.replace(idOf(path), decimal(idOf(path)))})`,
  ),
  used('a backslash before punctuation', (path) => `![a](${path.replaceAll(/[-./]/g, '\\$&')})`),
  used('parentheses in the query', swap(/$/, '?a=(b)')),
  used('a space in angle brackets', (path) => `![a](<${path}?a b>)`),
  foreign('an encoded slash', swap('md-editor/', 'md-editor%2F')),
  foreign('an encoded slash in the name', swap('photo', 'a%2fb')),
  foreign('an encoded backslash', swap('photo', 'a%5cb')),
  foreign('a double encoding', (path) => `![a](${path.replace(/\/(?=m[0-9a-z]{26})/, '%252f')})`),
  foreign('dot segments', swap('md-editor/', 'md-editor/x/../')),
  foreign('encoded dot segments', swap('md-editor/', 'md-editor/%2e%2e/md-editor/')),
  foreign('a single dot', swap('md-editor/', 'md-editor/./')),
  foreign('dot segments before the id', beforeId('x/../')),
  foreign('a single dot before the id', beforeId('./')),
  foreign('a sibling of the folder', beforeId('../tmp-private/')),
  foreign('a sibling of the folder, encoded', beforeId('%2e%2e/tmp-private/')),
  foreign('a folder beside the folder above', beforeId('../../uploads-private/')),
  foreign('two dots and an encoded slash', beforeId('..%2f')),
  foreign('two dots and a backslash', beforeId('..\\\\')),
  foreign('an empty segment', swap('md-editor/', 'md-editor//')),
  foreign('a slash at the end', swap(/$/, '/')),
  foreign('a percent-encoded NUL', swap(/$/, '%00')),
  foreign('a percent-encoded line break', swap(/$/, '%0a')),
  foreign('invalid percent-encoding', swap(/$/, '%zz')),
  foreign('percent-encoded invalid UTF-8', swap(/$/, '%ff')),
  foreign(
    'an uppercase id',
    (path) => `![a](${path.replace(idOf(path), idOf(path).toUpperCase())})`,
  ),
  foreign('an id without a name', (path) => `![a](${path.replace(/(-\d+x\d+)?-[^/-]*$/, '')})`),
  foreign(
    'letters before the id',
    (path) => `![a](${path.replace(idOf(path), `x${idOf(path)}`)})`,
    {
      protects: false,
    },
  ),
  foreign(
    'a percent-encoded backslash for a slash',
    (path) => `![a](${path.replace('md-editor/', 'md-editor%5C')})`,
  ),
]

const contexts: readonly Form[] = [
  used('a title', (path) => `![a](${path} "a title")`),
  used('a title in single quotes', (path) => `![a](${path} 'a title')`),
  used('a title in parentheses', (path) => `![a](${path} (a title))`),
  used('angle brackets', (path) => `![a](<${path}>)`),
  used('spaces around', (path) => `![a](  ${path}  )`),
  used('line breaks around', (path) => `![a](\n${path}\n"t")`),
  used('a link', (path) => `[a](${path})`),
  used('a link around an image', (path) => `[![t](/t.png)](${path})`),
  used('an image in a link', (path) => `[![t](${path})](/t)`),
  used('a reference', (path) => `![a][r]\n\n[r]: ${path}`),
  used('a reference with a title', (path) => `![a][r]\n\n[r]: <${path}>\n  "t"`),
  used('a collapsed reference', (path) => `[r][]\n\n[r]: ${path}`),
  used('a shortcut reference', (path) => `[R]\n\n[r]: ${path}`),
  mentioned('a definition that nothing references', (path) => `[r]: ${path}`),
  mentioned('a second definition of a reference', (path) => `![a][r]\n\n[r]: /t.png\n[r]: ${path}`),
  used('an autolink', (path) => `<${ORIGIN}${path}>`),
  used('a bare URL', (path) => `see ${ORIGIN}${path}.`),
  used('a bare URL in parentheses', (path) => `(see ${ORIGIN}${path})`),
  used('an image in HTML', (path) => `<img src="${path}">`),
  used('an image in HTML, single quotes', (path) => `<img src='${path}'>`),
  used('an image in HTML, no quotes', (path) => `<img src=${path}>`),
  used('an image in HTML, capitals', (path) => `<IMG SRC="${path}">`),
  used('an image in HTML, spaces', (path) => `<img\n  alt="a"\n  src = "${path}"\n/>`),
  used(
    'an image in HTML, character references',
    (path) => `<img src="${path.replaceAll('/', '&#x2F;')}?a=1&amp;b=2">`,
  ),
  used('the first URL of a srcset', (path) => `<img src="/t.png" srcset="${path} 1x, /u.png 2x">`, {
    renders: false,
  }),
  used('the last URL of a srcset', (path) => `<img src="/t.png" srcset="/u.png 1x, ${path} 2x">`, {
    renders: false,
  }),
  used(
    'a source element',
    (path) => `<video controls><source src="${path}" type="video/mp4"></video>`,
  ),
  used(
    'a source element of a picture',
    (path) => `<picture><source srcset="${path}"><img src="/t.png"></picture>`,
    {
      renders: false,
    },
  ),
  used('a video element', (path) => `<video src="${path}" controls></video>`),
  used('a poster', (path) => `<video src="/v.mp4" poster="${path}"></video>`),
  used('an audio element', (path) => `<audio src="${path}" controls></audio>`),
  // The renderer replaces the frame with a link.
  used('a frame', (path) => `<iframe src="${path}"></iframe>`),
  used('an anchor in HTML', (path) => `<a href="${path}">a</a>`, {
    extracts: false,
    deletes: false,
  }),
  mentioned(
    'a track, which the editor does not treat as a medium',
    (path) => `<video src="/v.mp4"><track src="${path}"></video>`,
  ),
  mentioned('another attribute', (path) => `<img src="/t.png" data-src="${path}">`),
  mentioned('a style', (path) => `<div style="background: url(${path})">a</div>`),
  used('a table', (path) => `| a |\n|---|\n| ![a](${path}) |`),
  used('a list', (path) => `- a\n\n  ![a](${path})`),
  used('a task list item', (path) => `- [x] [a](${path})`),
  used('a quote', (path) => `> ![a](${path})`),
  used('an alert', (path) => `> [!NOTE]\n> ![a](${path})`),
  used('a heading', (path) => `# ![a](${path})`),
  used('emphasis', (path) => `**_![a](${path})_**`),
  used('a footnote', (path) => `a[^1]\n\n[^1]: ![a](${path})`),
  used('details', (path) => `<details><summary>a</summary>\n\n![a](${path})\n\n</details>`),
  used('HTML in a block', (path) => `<div>\n<img src="${path}">\n</div>`),
  mentioned('a code span', (path) => `\`![a](${path})\``),
  mentioned('a fence', (path) => `\`\`\`md\n![a](${path})\n\`\`\``),
  mentioned('indented code', (path) => `    ![a](${path})`),
  mentioned('a comment', (path) => `<!-- ![a](${path}) -->`),
  mentioned('an escaped bracket', (path) => `\\[a](${path})`),
  mentioned('prose', (path) => `the file ${path} is mine`),
  mentioned('an unclosed link', (path) => `[a](${path}`),
  mentioned('the text of a link', (path) => `[${path}](/t)`, { extracts: false }),
  mentioned('an id alone', (path) => `see ${idOf(path)}`, { finalize: false }),
]

const groups = { hosts, spellings, contexts }
const forms = Object.values(groups).flat()

let world: TestEditor
beforeAll(async () => {
  world = await openEditor(
    { publicUrls: [CDN, 'https://UPPER.example/m/', 'https://Bücher.example/m/'] },
    { publicOrigin: ORIGIN },
  )
})
afterAll(() => world.close())

describe.each(Object.entries(groups))('URL forms (%s)', (_group, list) => {
  it.each(list.map((form) => [form.name, form] as const))('finalize: %s', async (_name, form) => {
    const { url } = await world.upload(form.file ?? 'photo.png', png())
    const text = form.text(url)
    const { text: after, replacements } = await world.editor.finalize(text, {
      owner: { id: 'ada' },
    })
    if (form.finalize) {
      expect(Object.keys(replacements)).toHaveLength(1)
      expect(after).not.toContain('/tmp/')
      expect(after).toContain(`/md-editor/uploads/2026/03/${idOf(url)}-`)
      expect(await world.editor.finalize(after, { owner: { id: 'ada' } })).toMatchObject({
        text: after,
        replacements: {},
      })
    } else {
      expect(after).toBe(text)
      expect((await world.editor.media.get(idOf(url)))?.state).toBe('temporary')
    }
  })

  it.each(list.map((form) => [form.name, form] as const))(
    'deleteOrphanedMedia: %s',
    async (_name, form) => {
      for (const temporary of [false, true]) {
        const { url, before } = await addFile(form)
        const text = form.text(temporary ? before : url)
        const gone = await world.editor.deleteOrphanedMedia(text, '')
        // After finalizing, the temporary URL still identifies the file.
        expect(gone).toEqual(form.deletes ? [decodeURIComponent(key(url))] : [])
      }
    },
  )

  it.each(list.map((form) => [form.name, form] as const))('protection: %s', async (_name, form) => {
    const { url, before } = await addFile(form)
    for (const [index, text] of [form.text(url), form.text(before)].entries()) {
      expect(await world.editor.deleteOrphanedMedia(`![a](${url})`, text)).toEqual(
        form.protects ? [] : [decodeURIComponent(key(url))],
      )
      if (!form.protects) return
      const { added } = await world.editor.references.set(
        { type: 'post', id: `${form.name} ${index}` },
        text,
      )
      expect(added).toEqual([idOf(url)])
      expect(await world.editor.deleteOrphanedMedia(`![a](${url})`, '')).toEqual([])
    }
  })

  it.each(list.map((form) => [form.name, form] as const))(
    'extractMediaUrls and the renderer: %s',
    async (_name, form) => {
      const path =
        form.file === undefined
          ? `/media/md-editor/tmp/m${'7'.repeat(26)}-photo.png`
          : (await world.upload(form.file, png())).url
      const mentions = (url: string): boolean => decode(url).toLowerCase().includes(idOf(path))
      const text = form.text(path)
      expect([...extractMediaUrls(text)].some(mentions)).toBe(form.extracts)
      const { media } = new DefaultRenderer().renderDocument(text)
      expect(media.some(({ url }) => mentions(url))).toBe(form.renders)
    },
  )
})

describe('URL forms', () => {
  it('include more than sixty that match a medium, and similar ones that do not', () => {
    expect(forms.filter(({ finalize }) => finalize).length).toBeGreaterThanOrEqual(60)
    expect(forms.filter(({ finalize }) => !finalize).length).toBeGreaterThanOrEqual(40)
    expect(new Set(forms.map(({ name }) => name)).size).toBe(forms.length)
  })

  it('still match a file after uploadPath and tempUploadPath change', async () => {
    const moved = await openEditor({ uploadPath: 'archive/%Y/', tempUploadPath: 'incoming/' })
    const { url } = await moved.upload('photo.png', png())
    expect(url).toContain('/media/incoming/')
    const { text } = await moved.editor.finalize(`![a](${url})`, { owner: { id: 'ada' } })
    const old = text.replace('archive/2026', 'md-editor/uploads/2025/01')
    expect(await moved.editor.deleteOrphanedMedia(old, '')).toEqual([
      `archive/2026/${idOf(url)}-1x1-photo.png`,
    ])
    await moved.close()
  })
})

/** @returns the permanent URL, and the temporary URL as `before` */
async function addFile(form: Form): Promise<{ url: string; before: string }> {
  const { url: before } = await world.upload(form.file ?? 'photo.png', png())
  const { replacements } = await world.finalize(`![a](${before})`)
  return { before, url: replacements[before] ?? '' }
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}
