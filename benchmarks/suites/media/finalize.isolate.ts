import { randomFillSync } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMarkdownEditor, type MarkdownEditor } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { localFiles } from '@quillgate/storage'
import { articleMixture, generate } from '../../corpus/generated.ts'

/** The elapsed time and the CPU time of a run, in ms. */
export interface Taken {
  readonly wall: number
  /** The CPU time of all threads. */
  readonly cpu: number
}

/** A way to make files permanent. */
interface Contender {
  /** Creates new temporary files. Its time is not measured. */
  fill(): Promise<void>
  /** Makes the files permanent and durable. */
  finalize(): Promise<void>
  /** Removes the permanent files. Its time is not measured. */
  clear(): Promise<void>
}

const FILES = 20
const FILE_SIZE = 5_000_000
const TEXT_LENGTH = 100_000
const owner = { id: 'ada' }

let contender: Contender

export async function prepare(name: string, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  if (name === 'finalize') contender = await openEditor(directory)
  else if (name === 'copies') contender = await openFolders(directory, copySynced)
  else if (name === 'links') contender = await openFolders(directory, link)
  else throw new RangeError(`There is no contender "${name}".`)
}

export async function sample(): Promise<Taken> {
  await contender.fill()
  const [cpu, start] = [process.cpuUsage(), performance.now()]
  await contender.finalize()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  await contender.clear()
  return { wall, cpu: (user + system) / 1000 }
}

async function openEditor(directory: string): Promise<Contender> {
  const media = join(directory, 'media')
  const gate = createQuillgate({
    secret: 'a secret of thirty-two bytes, no less',
    database: `sqlite:${join(directory, 'ledger.sqlite')}`,
  })
  const editor = createMarkdownEditor(gate, {
    storage: localFiles(media),
    authenticate: () => owner,
    settings: {
      uploadRateLimit: null,
      ownerQuota: null,
      uploadPath: 'uploads/',
      tempUploadPath: 'tmp/',
    },
  })
  await gate.ready()
  let text = ''
  return {
    async fill() {
      const urls: string[] = []
      for (let file = 0; file < FILES; file++) urls.push(await upload(editor))
      text = textWith(urls)
    },
    async finalize() {
      const { replacements } = await editor.finalize(text, { owner })
      const count = Object.keys(replacements).length
      if (count !== FILES) throw new Error(`${count} of ${FILES} files became permanent.`)
    },
    clear: () => empty(join(media, 'uploads')),
  }
}

async function upload(editor: MarkdownEditor): Promise<string> {
  const form = new FormData()
  form.set('file', new File([createFile()], 'report.pdf', { type: 'application/pdf' }))
  const headers = { authorization: 'Bearer ada' }
  const request = new Request('http://localhost/md-editor/upload', {
    method: 'POST',
    headers,
    body: form,
  })
  const response = await editor.gate.fetch(request)
  if (response.status !== 201) throw new Error(`The upload failed: ${await response.text()}`)
  return ((await response.json()) as { url: string }).url
}

function createFile(): Buffer<ArrayBuffer> {
  const bytes = randomFillSync(Buffer.alloc(FILE_SIZE))
  bytes.write('%PDF-1.7\n', 'latin1')
  return bytes
}

function textWith(urls: readonly string[]): string {
  const length = TEXT_LENGTH / urls.length
  return urls
    .map((url, index) => `${generate(index, length, articleMixture)}\n\n[a report](${url})\n`)
    .join('\n')
}

/**
 * Opens a contender without a ledger. Links or copies the files of a temporary folder into a
 * permanent folder. At the end, syncs the permanent folder.
 */
async function openFolders(
  directory: string,
  add: (from: string, to: string) => Promise<void>,
): Promise<Contender> {
  const [temporary, permanent] = [join(directory, 'tmp'), join(directory, 'uploads')]
  await mkdir(temporary)
  await mkdir(permanent)
  return {
    async fill() {
      for (let file = 0; file < FILES; file++) {
        await writeFile(join(temporary, `${file}.pdf`), createFile(), { flag: 'wx', flush: true })
      }
    },
    async finalize() {
      const names = await readdir(temporary)
      await Promise.all(names.map((name) => add(join(temporary, name), join(permanent, name))))
      await sync(permanent)
    },
    async clear() {
      await empty(temporary)
      await empty(permanent)
    },
  }
}

async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL)
  await sync(to)
}

async function sync(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await unlink(join(folder, name))
}
