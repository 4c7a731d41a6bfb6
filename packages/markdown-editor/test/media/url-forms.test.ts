import { DefaultRenderer, extractMediaUrls } from '@quillgate/markdown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { idOf, keyOfUrl, openEditor, png, type TestEditor } from '../editor-fixture.ts'

/** A way to write a URL in a text, and what must follow from it. */
interface Form {
  readonly name: string
  /** The text, from the path of a medium as the editor gives it. */
  readonly text: (path: string) => string
  /** Finalize puts the permanent URL in its place. */
  readonly finalize: boolean
  /** A save that leaves this text behind deletes the file; so the text counts as using it. */
  readonly deletes: boolean
  /** A text that says this keeps the file, whatever else it means. */
  readonly protects: boolean
  /** `extractMediaUrls` has a URL with the id. */
  readonly extracts: boolean
  /** The rendered page loads it, or links to it. */
  readonly renders: boolean
  /** What the uploaded file is called. */
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
/** It is mentioned where the page does not use it, such as in code: finalize rewrites it, no save deletes its file. */
const mention: typeof all = { ...none, finalize: true }
/** It is used as a URL, but not one of ours: the page shows it, and the file is nobody's business. */
const foreign: typeof all = { ...none, extracts: true, renders: true }

const ours = (name: string, text: Form['text'], flags: Flags = {}): Form => ({
  name,
  text,
  ...all,
  ...flags,
})
const alien = (name: string, text: Form['text'], flags: Flags = {}): Form => ({
  name,
  text,
  ...foreign,
  ...flags,
})
const hidden = (name: string, text: Form['text'], flags: Flags = {}): Form => ({
  name,
  text,
  ...mention,
  ...flags,
})

const ORIGIN = 'https://example.com'
const CDN = 'https://cdn.example.net:8443/assets/v1/'
/** The path under `mediaUrl`. */
const key = (path: string): string => keyOfUrl(path)
const swap = (from: string | RegExp, to: string) => (path: string) =>
  `![a](${path.replace(from, to)})`
const percent = (text: string): string =>
  text.replaceAll(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`)
const decimal = (text: string): string => text.replaceAll(/./g, (one) => `&#${one.charCodeAt(0)};`)

const hosts: readonly Form[] = [
  ours('a path', (path) => `![a](${path})`),
  ours('the own origin', (path) => `![a](${ORIGIN}${path})`),
  ours('the own origin with its port', (path) => `![a](${ORIGIN}:443${path})`),
  ours('the own origin in capitals', (path) => `![a](HTTPS://EXAMPLE.COM${path})`),
  ours('without a scheme', (path) => `![a](//example.com${path})`),
  ours('a CDN with port and path', (path) => `![a](${CDN}${key(path)})`),
  ours('a CDN without a scheme', (path) => `![a](//cdn.example.net:8443/assets/v1/${key(path)})`),
  ours('a CDN in capitals', (path) => `![a](https://CDN.Example.NET:8443/assets/v1/${key(path)})`),
  ours(
    'a CDN whose settings are in capitals',
    (path) => `![a](https://upper.example/m/${key(path)})`,
  ),
  ours('a host in letters', (path) => `![a](https://bücher.example/m/${key(path)})`),
  ours('a host in letters, in capitals', (path) => `![a](https://BÜCHER.example/m/${key(path)})`),
  ours('a host in punycode', (path) => `![a](https://xn--bcher-kva.example/m/${key(path)})`),
  ours('a CDN with a query that signs', (path) => `![a](${CDN}${key(path)}?token=a%2Fb&expires=1)`),
  alien('another host', (path) => `![a](https://other.example${path})`),
  alien('another host without a scheme', (path) => `![a](//other.example${path})`),
  alien('another scheme', (path) => `![a](http://example.com${path})`),
  alien('another port', (path) => `![a](${ORIGIN}:8443${path})`),
  alien(
    'the CDN without its port',
    (path) => `![a](https://cdn.example.net/assets/v1/${key(path)})`,
  ),
  alien('the CDN without its path', (path) => `![a](https://cdn.example.net:8443/${key(path)})`),
  alien(
    'the path of the application on the CDN',
    (path) => `![a](https://cdn.example.net:8443${path})`,
  ),
  alien(
    'a path that begins like that of the CDN',
    (path) => `![a](https://cdn.example.net:8443/assets/v12/${key(path)})`,
  ),
  alien('a host that begins like ours', (path) => `![a](${ORIGIN}.evil.example${path})`),
  alien('a host that ends like ours', (path) => `![a](https://evilexample.com${path})`),
  alien('a host below ours', (path) => `![a](https://www.example.com${path})`),
  alien(
    'our host with a final dot, which is another origin',
    (path) => `![a](https://example.com.${path})`,
  ),
  alien(
    'our host as the user of another',
    (path) => `![a](https://example.com@evil.example${path})`,
    {
      renders: true,
    },
  ),
  alien('a user on our host', (path) => `![a](https://user:pass@example.com${path})`),
  alien('our path in the query of another', (path) => `![a](https://evil.example/?u=${path})`),
  alien('our path in a fragment', (path) => `![a](#${path})`),
  alien('our path below another', (path) => `![a](/x${path})`),
  alien('a path that begins like ours', (path) => `![a](/media-private/${key(path)})`),
  alien('a path without its first slash', (path) => `![a](${path.slice(1)})`),
  alien('a path from the folder above', (path) => `![a](..${path})`),
  alien('our path in capitals', (path) => `![a](/MEDIA/${key(path)})`),
  alien('a scheme without slashes', (path) => `![a](https:${path})`),
  alien('the scheme file', (path) => `![a](file://${path})`, { renders: false }),
  alien('the scheme javascript', (path) => `[a](javascript:${path})`, { renders: false }),
]

const spellings: readonly Form[] = [
  ours('a query', swap(/$/, '?w=300&h=200')),
  ours('a fragment', swap(/$/, '#t=10,20')),
  ours('query and fragment', swap(/$/, '?a=/b/../c#d?e')),
  ours('an empty query', swap(/$/, '?')),
  ours('a letter in percent code', swap('photo', 'ph%6Fto')),
  ours('a letter in percent code of small digits', swap('photo', 'ph%6fto')),
  ours('the folder in percent code', swap('md-editor', 'md%2Deditor')),
  ours('the first segment in percent code', swap('/media/', `/${percent('media')}/`)),
  ours(
    'the id in percent code',
    (path) => `![a](${path.replace(idOf(path), percent(idOf(path)))})`,
  ),
  ours('every letter in percent code', (path) => `![a](${path.replaceAll(/[^/]/g, percent)})`),
  ours('another name behind the id', swap(/-photo/, '-holiday')),
  ours('another extension', swap('.png', '.jpg')),
  ours('no extension', swap('.png', '')),
  ours('an umlaut as it is', (path) => `![a](${decodeURIComponent(path)})`, { file: 'größe.png' }),
  ours('an umlaut in percent code', (path) => `![a](${path})`, { file: 'größe.png' }),
  ours(
    'an umlaut in percent code of small digits',
    (path) => `![a](${path.replaceAll(/%../g, (code) => code.toLowerCase())})`,
    { file: 'größe.png' },
  ),
  ours(
    'an umlaut in two characters',
    (path) => `![a](${decodeURIComponent(path).normalize('NFD')})`,
    {
      file: 'größe.png',
    },
  ),
  ours(
    'an umlaut in two characters, in percent code',
    (path) => `![a](${encodeURI(decodeURIComponent(path).normalize('NFD'))})`,
    { file: 'größe.png' },
  ),
  ours('letters of another script', (path) => `![a](${decodeURIComponent(path)})`, {
    file: '写真.png',
  }),
  ours('a character reference by name', (path) => `![a](${path}?a=1&amp;b=2)`),
  ours('slashes as character references', (path) => `![a](${path.replaceAll('/', '&#x2f;')})`),
  ours('slashes as decimal references', (path) => `![a](${path.replaceAll('/', '&#47;')})`),
  ours('slashes by name', (path) => `![a](${path.replaceAll('/', '&sol;')})`),
  ours(
    'the id in character references',
    (path) => `![a](${path.replace(idOf(path), decimal(idOf(path)))})`,
  ),
  ours('a backslash before punctuation', (path) => `![a](${path.replaceAll(/[-./]/g, '\\$&')})`),
  ours('parentheses in the query', swap(/$/, '?a=(b)')),
  ours('a blank in angle brackets', (path) => `![a](<${path}?a b>)`),
  alien('an encoded slash', swap('md-editor/', 'md-editor%2F')),
  alien('an encoded slash in the name', swap('photo', 'a%2fb')),
  alien('an encoded backslash', swap('photo', 'a%5cb')),
  alien('a double encoding', (path) => `![a](${path.replace(/\/(?=m[0-9a-z]{26})/, '%252f')})`),
  alien('dot segments', swap('md-editor/', 'md-editor/x/../')),
  alien('encoded dot segments', swap('md-editor/', 'md-editor/%2e%2e/md-editor/')),
  alien('a single dot', swap('md-editor/', 'md-editor/./')),
  alien('an empty segment', swap('md-editor/', 'md-editor//')),
  alien('a slash at the end', swap(/$/, '/')),
  alien('a NUL in percent code', swap(/$/, '%00')),
  alien('a line break in percent code', swap(/$/, '%0a')),
  alien('bad percent code', swap(/$/, '%zz')),
  alien('bad UTF-8 in percent code', swap(/$/, '%ff')),
  alien(
    'an id in capitals',
    (path) => `![a](${path.replace(idOf(path), idOf(path).toUpperCase())})`,
  ),
  alien('an id without a name', (path) => `![a](${path.replace(/(-\d+x\d+)?-[^/-]*$/, '')})`),
  alien('letters before the id', (path) => `![a](${path.replace(idOf(path), `x${idOf(path)}`)})`, {
    protects: false,
  }),
  alien('a backslash for a slash', (path) => `![a](${path.replace('md-editor/', 'md-editor%5C')})`),
]

const places: readonly Form[] = [
  ours('a title', (path) => `![a](${path} "a title")`),
  ours('a title in single quotes', (path) => `![a](${path} 'a title')`),
  ours('a title in parentheses', (path) => `![a](${path} (a title))`),
  ours('angle brackets', (path) => `![a](<${path}>)`),
  ours('spaces around', (path) => `![a](  ${path}  )`),
  ours('line breaks around', (path) => `![a](\n${path}\n"t")`),
  ours('a link', (path) => `[a](${path})`),
  ours('a link around an image', (path) => `[![t](/t.png)](${path})`),
  ours('an image in a link', (path) => `[![t](${path})](/t)`),
  ours('a reference', (path) => `![a][r]\n\n[r]: ${path}`),
  ours('a reference with a title', (path) => `![a][r]\n\n[r]: <${path}>\n  "t"`),
  ours('a collapsed reference', (path) => `[r][]\n\n[r]: ${path}`),
  ours('a shortcut reference', (path) => `[R]\n\n[r]: ${path}`),
  hidden('a reference that nothing uses', (path) => `[r]: ${path}`),
  hidden('a reference that comes second', (path) => `![a][r]\n\n[r]: /t.png\n[r]: ${path}`),
  ours('an autolink', (path) => `<${ORIGIN}${path}>`),
  ours('a bare address', (path) => `see ${ORIGIN}${path}.`),
  ours('a bare address in parentheses', (path) => `(see ${ORIGIN}${path})`),
  ours('an image in HTML', (path) => `<img src="${path}">`),
  ours('an image in HTML, single quotes', (path) => `<img src='${path}'>`),
  ours('an image in HTML, no quotes', (path) => `<img src=${path}>`),
  ours('an image in HTML, capitals', (path) => `<IMG SRC="${path}">`),
  ours('an image in HTML, spaces', (path) => `<img\n  alt="a"\n  src = "${path}"\n/>`),
  ours(
    'an image in HTML, character references',
    (path) => `<img src="${path.replaceAll('/', '&#x2F;')}?a=1&amp;b=2">`,
  ),
  ours('the first of a srcset', (path) => `<img src="/t.png" srcset="${path} 1x, /u.png 2x">`, {
    renders: false,
  }),
  ours('the last of a srcset', (path) => `<img src="/t.png" srcset="/u.png 1x, ${path} 2x">`, {
    renders: false,
  }),
  ours('a source', (path) => `<video controls><source src="${path}" type="video/mp4"></video>`),
  ours(
    'a source of a picture',
    (path) => `<picture><source srcset="${path}"><img src="/t.png"></picture>`,
    {
      renders: false,
    },
  ),
  ours('a video', (path) => `<video src="${path}" controls></video>`),
  ours('a poster', (path) => `<video src="/v.mp4" poster="${path}"></video>`),
  ours('an audio', (path) => `<audio src="${path}" controls></audio>`),
  // The page has a link in its place.
  ours('a frame', (path) => `<iframe src="${path}"></iframe>`),
  ours('an anchor in HTML', (path) => `<a href="${path}">a</a>`, {
    extracts: false,
    deletes: false,
  }),
  hidden(
    'a track, which is no medium of ours',
    (path) => `<video src="/v.mp4"><track src="${path}"></video>`,
  ),
  hidden('another attribute', (path) => `<img src="/t.png" data-src="${path}">`),
  hidden('a style', (path) => `<div style="background: url(${path})">a</div>`),
  ours('a table', (path) => `| a |\n|---|\n| ![a](${path}) |`),
  ours('a list', (path) => `- a\n\n  ![a](${path})`),
  ours('a task', (path) => `- [x] [a](${path})`),
  ours('a quote', (path) => `> ![a](${path})`),
  ours('an alert', (path) => `> [!NOTE]\n> ![a](${path})`),
  ours('a heading', (path) => `# ![a](${path})`),
  ours('emphasis', (path) => `**_![a](${path})_**`),
  ours('a footnote', (path) => `a[^1]\n\n[^1]: ![a](${path})`),
  ours('details', (path) => `<details><summary>a</summary>\n\n![a](${path})\n\n</details>`),
  ours('HTML in a block', (path) => `<div>\n<img src="${path}">\n</div>`),
  hidden('a code span', (path) => `\`![a](${path})\``),
  hidden('a fence', (path) => `\`\`\`md\n![a](${path})\n\`\`\``),
  hidden('indented code', (path) => `    ![a](${path})`),
  hidden('a comment', (path) => `<!-- ![a](${path}) -->`),
  hidden('an escaped bracket', (path) => `\\[a](${path})`),
  hidden('prose', (path) => `the file ${path} is mine`),
  hidden('a link without an end', (path) => `[a](${path}`),
  hidden('the text of a link', (path) => `[${path}](/t)`, { extracts: false }),
  hidden('an id alone', (path) => `see ${idOf(path)}`, { finalize: false }),
]

const groups = { hosts, spellings, places }
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
        // The temporary URL of a file that was finalized says the same as the permanent one.
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

/** A file that was finalized. @returns its permanent URL, and its temporary one */
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
