// Moves the files of multer into the editor, and lists the files that could not be moved. You can
// run this script several times.

import { openAsBlob } from 'node:fs'
import { basename, resolve, sep } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findUser, type User } from './application.ts'
import { editor, gate } from './express-editor.ts'

const folder = resolve('./uploads') // multer's `dest`
// Matches the URLs of old files, with and without your host. Ignores the same paths on other hosts.
const oldUrls =
  /(?:https?:\/\/www\.example\.com|(?<![\w.-]))\/uploads\/(?:[^\s()<>"'\]]|\([^\s()<>"'\]]*\))+/g
const table = new DatabaseSync('./data/blog.sqlite') // your database
const problems: { post: number; url: string; reason: string }[] = []

for (const row of table.prepare('SELECT id, body, author FROM post').all()) {
  const post = { id: Number(row['id']), body: String(row['body']) }
  const author = findUser(String(row['author']))
  const report = (url: string, error: unknown) =>
    problems.push({ post: post.id, url, reason: String(error) })
  if (author) await importPost(post, author, report).catch((error) => report('', error))
  else report('', 'The post has no author.')
}
console.log(JSON.stringify(problems, null, 2))
await gate.close()

async function importPost(
  { id, body }: { id: number; body: string },
  owner: User,
  report: (url: string, error: unknown) => void,
): Promise<void> {
  const newUrls = new Map<string, string>()
  for (const [url] of body.matchAll(oldUrls)) {
    if (newUrls.has(url)) continue
    newUrls.set(url, url) // the old URL stays if the file cannot be moved
    await importFile(url, owner).then(
      (added) => newUrls.set(url, added),
      (error) => report(url, error),
    )
  }
  const changed = body.replaceAll(oldUrls, (url) => newUrls.get(url) ?? url)
  const { text } = await editor.finalize(changed, { owner }) // makes the files permanent
  const update = table.prepare('UPDATE post SET body = ? WHERE id = ? AND body = ?')
  if (update.run(text, id, body).changes === 0) throw new Error('The post was just edited.')
  await editor.references.set({ type: 'post', id }, { body: text }, { actor: owner })
}

async function importFile(url: string, owner: User): Promise<string> {
  const { pathname } = new URL(url, 'https://www.example.com')
  const path = resolve(folder, decodeURIComponent(pathname).slice('/uploads/'.length))
  if (!path.startsWith(folder + sep)) throw new Error('The path leaves the folder.')
  const file = new File([await openAsBlob(path)], basename(path))
  return (await editor.media.add(file, { owner })).url
}
