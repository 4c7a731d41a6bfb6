import { DefaultRenderer } from '@quillgate/markdown'
import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import express from 'express'
import { currentUser, formPage, secret } from './application.ts'
import { WikiRenderer } from './wiki-renderer.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
  renderer: new WikiRenderer(new DefaultRenderer()),
})

export const app = express()
app.use(mount(gate))
app.use('/static', express.static('static')) // contains preview.js
app.get('/', async (req, res) => {
  const text = 'See [[Home]].'
  const field = editor.widget({ previewWorker: '/static/preview.js' })
  const html = field.render('body', text) + editor.renderer.render(text)
  res.send(formPage(renderAssets(field.assets), await gate.csrfToken(req), html))
})
if (import.meta.main) app.listen(3000)
