import { getSetting, isQuillgateError } from '@quillgate/server/core'
import { s3FromUrl } from '@quillgate/storage/s3'
import { memoryStorage } from '@quillgate/storage/testing'
import { afterEach, beforeEach } from 'vitest'
import { describeLookUps, runQuietly, withMember } from '../../../tests/support/prototype-names.ts'
import { findMediaIds } from '../../markdown/src/media-urls/media-id.ts'
import { extractMediaUrls } from '../../markdown/src/node/extract-media-urls.ts'
import { runCli } from '../src/cli/run.ts'
import { resolveSettings } from '../src/settings.ts'
import { createEditor } from './create-editor.ts'
import { openEditor, png, type TestEditor } from './editor-fixture.ts'

let opened: TestEditor
beforeEach(async () => {
  opened = await openEditor()
})
afterEach(() => opened.close())

/** The word itself is replaced by WORD. */
async function outcome(lookUp: (word: string) => unknown, word: string): Promise<string> {
  const plain = (text: string): string =>
    text
      // Markdown renders `__proto__` as bold text without underscores.
      .replaceAll(new RegExp(`${word}|${word.replaceAll('_', '')}`, 'gi'), 'WORD')
      .replaceAll(/m[0-9a-z]{26}/g, 'ID')
  try {
    const value = await lookUp(word)
    if (value instanceof Response) return plain(`${value.status} ${await value.text()}`)
    return plain(JSON.stringify(value) ?? 'undefined')
  } catch (error) {
    return isQuillgateError(error) ? `${error.status} ${error.code}` : plain(String(error))
  }
}

const upload = async (name: string, type: string, field = 'file'): Promise<Response> => {
  const form = new FormData()
  form.append(field, new File([png()], name, { type }))
  // Node's form bodies cause an unhandled rejection if a handler stops reading them.
  const encoded = new Response(form)
  const { headers } = encoded
  const body = await encoded.bytes()
  return opened.request('POST', '/md-editor/upload', { body, headers })
}
const finalize = (body: object, headers = {}): Promise<Response> =>
  opened.request('POST', '/md-editor/finalize', {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const render = (text: string): string => opened.editor.renderer.render(text)

const LOOKUPS: Readonly<Record<string, (word: string) => unknown>> = {
  'the name of a file': (word) => upload(word, 'image/png'),
  'the extension of a file': (word) => upload(`a.${word}`, 'image/png'),
  'the type of a file': (word) => upload('a.png', word),
  'an image type': (word) => upload('a.png', `image/${word}`),
  'a field of a form': (word) => upload('a.png', 'image/png', word),
  'a property of a body': (word) => finalize(withMember(word)),
  'a property next to the text': (word) => finalize({ ...withMember(word), text: 'a' }),
  'a text': (word) => finalize({ text: `![](/media/${word}) [${word}]: /media/x` }),
  'a content type': (word) => finalize({ text: 'a' }, { 'content-type': word }),
  'the authorization scheme': (word) => finalize({ text: 'a' }, { authorization: `${word} x` }),
  'a method': (word) => opened.request(word, '/md-editor/finalize'),
  'a media path': (word) => opened.get(`/media/${word}/${word}`),
  'the name of an asset': (word) => opened.get(`/md-editor/assets/${word}/${word}`),
  'a query': (word) => opened.get(`/media/x?${word}=${word}`),
  'an endpoint of url()': (word) => opened.editor.url(word as 'upload'),
  'a setting': (word) => resolveSettings(withMember(word)),
  'getSetting()': (word) => getSetting(resolveSettings({}), word as 'theme'),
  'an option': (word) =>
    createEditor({
      ...{
        secret: 'a secret of at least thirty-two bytes',
        database: 'sqlite::memory:',
        storage: memoryStorage(),
      },
      ...{ authenticate: () => null, ...withMember(word) },
    } as never),
  'an upload path': (word) => resolveSettings({ uploadPath: `a/%${word}/` }),
  'an upload type': (word) => resolveSettings({ allowedUploadTypes: [word] }),
  'a toolbar button': (word) => resolveSettings({ toolbar: [word] as never }),
  'a theme': (word) => resolveSettings({ theme: word as never }),
  'a locale of a widget': (word) => opened.editor.widget({ locale: word }).render('body', 'a'),
  'a code language': (word) => render(`\`\`\`${word}\na\n\`\`\`\n\n\`\`\`js ${word}\na\n\`\`\``),
  'a heading': (word) => render(`# ${word}\n\n## ${word}\n\n[a](#${word})`),
  'a reference without a definition': (word) => render(`[${word}] [a][${word}]\n\n[other]: /x`),
  'a reference with a definition': (word) => render(`[${word}] [a][${word}]\n\n[${word}]: /x`),
  'a footnote': (word) => render(`a[^${word}] b[^1]\n\n[^${word}]: c\n\n[^1]: d`),
  'an alert': (word) => render(`> [!${word}]\n> a`),
  'an element': (word) => render(`<${word}>a</${word}>\n\nb <${word} ${word}="x">c`),
  'an attribute': (word) => render(`<b ${word}="x" class="${word}">a</b> <input type="${word}">`),
  'a character reference': (word) => render(`&${word}; &${word}`),
  'a scheme': (word) => render(`[a](${word}:b) ![a](${word}://b) <${word}:b>`),
  'an embed host': (word) => render(`<iframe src="https://${word}/x"></iframe>`),
  'media URLs of a text': (word) => [
    ...extractMediaUrls(`![](${word}) <img ${word}="/media/x" src=${word}>`),
  ],
  'media ids of a text': (word) => [...findMediaIds(`/media/&${word};m${'a'.repeat(26)} %${word}`)],
  'a parameter of an S3 URL': (word) => s3FromUrl(`s3://bucket?${word}=1`),
  'a value of an S3 URL': (word) => s3FromUrl(`s3://bucket?forcePathStyle=${word}`),
  'a command': (word) => runQuietly(runCli, [word]),
  'an option of a command': (word) => runQuietly(runCli, ['sweep', `--${word}`]),
}

describeLookUps(LOOKUPS, outcome)
