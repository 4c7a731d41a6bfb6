import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { png } from '../support/png.ts'

const script = join(import.meta.dirname, '..', '..', 'examples', 'import-uploads.ts')
const BODIES = [
  '![a](/uploads/red.png) ![b](/uploads/0f2e9a) ![c](https://example.com/uploads/red.png)',
  '[a](/uploads/red.png "A") <img src="https://www.example.com/uploads/2024/a%20b(1).png?v=2">',
  '![gone](/uploads/gone.png) ![red](/uploads/red.png) ![logo](/uploads/logo.svg)',
  '![out](/uploads/..%2fsecret.txt)',
]
let folder: string
let table: DatabaseSync

const run = () => {
  const args = ['--no-warnings', '--conditions=@quillgate/source', script]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }))
}
const bodies = () =>
  table
    .prepare('SELECT body FROM post ORDER BY id')
    .all()
    .map(({ body }) => String(body).replaceAll(/\/media\/\S*?\/[a-z0-9]{20,}-/g, '/media/…'))

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quillgate-import-'))
  mkdirSync(join(folder, 'data'))
  mkdirSync(join(folder, 'uploads', '2024'), { recursive: true })
  const image = png(8, 8, [255, 0, 0])
  // With `dest`, multer creates names without an extension, such as `0f2e9a`.
  for (const name of ['red.png', '0f2e9a', '2024/a b(1).png'])
    writeFileSync(join(folder, 'uploads', name), image)
  writeFileSync(join(folder, 'uploads', 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  table = new DatabaseSync(join(folder, 'data', 'blog.sqlite'))
  table.exec('CREATE TABLE post (id INTEGER PRIMARY KEY, body TEXT, author TEXT)')
  for (const body of BODIES)
    table.prepare("INSERT INTO post (body, author) VALUES (?, '1')").run(body)
  table.prepare("INSERT INTO post (body, author) VALUES ('![a](/uploads/red.png)', '2')").run()
})
afterAll(() => {
  table.close()
  rmSync(folder, { recursive: true, force: true })
})

it('the example of the import guide moves the files of multer, and lists the others', () => {
  const expected = [
    { post: 3, url: '/uploads/gone.png' },
    { post: 3, url: '/uploads/logo.svg' },
    { post: 4, url: '/uploads/..%2fsecret.txt', reason: expect.stringContaining('leaves') },
    { post: 5, url: '', reason: 'The post has no author.' },
  ]
  expect(run()).toMatchObject(expected)
  const moved = [
    '![a](/media/…8x8-red.png) ![b](/media/…8x8-0f2e9a.png) ![c](https://example.com/uploads/red.png)',
    '[a](/media/…8x8-red.png "A") <img src="/media/…8x8-a_b_1.png">',
    '![gone](/uploads/gone.png) ![red](/media/…8x8-red.png) ![logo](/uploads/logo.svg)',
    BODIES[3],
    '![a](/uploads/red.png)',
  ]
  expect(bodies()).toEqual(moved)

  expect(run()).toMatchObject(expected)
  expect(bodies()).toEqual(moved)
}, 60_000)
