import '@quillgate/markdown/markdown.css'
import '@quillgate/markdown-editor-element/client.css'
import { MarkdownEditor } from '@quillgate/markdown-editor-element/react'
import { type FormEvent, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

interface Page {
  readonly csrfToken: string
  readonly posts: readonly string[] // safe HTML
}

const loadPage = async (): Promise<Page> => (await fetch('/api/page')).json()

function App() {
  const [page, setPage] = useState<Page | null>(null)
  const [text, setText] = useState('')
  useEffect(() => void loadPage().then(setPage), [])
  if (!page) return null
  const { csrfToken, posts } = page

  // Called when all uploads are finished and the files in the text are permanent.
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const body = new FormData(event.currentTarget).get('body')
    const headers = { 'content-type': 'application/json', 'x-csrf-token': csrfToken }
    const init = { method: 'POST', headers, body: JSON.stringify({ body }) }
    const response = await fetch('/api/posts', init)
    if (!response.ok) return alert(`The text was not saved (${response.status}).`)
    setText('')
    setPage(await loadPage())
  }

  return (
    <>
      <form onSubmit={save}>
        <input type="hidden" name="csrf_token" value={csrfToken} />
        <MarkdownEditor
          name="body"
          required
          value={text}
          onChange={setText}
          uploadUrl="/md-editor/upload"
          finalizeUrl="/md-editor/finalize"
          tempUrl="/media/md-editor/tmp/"
        />
        <button type="submit">Save</button>
      </form>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer returns safe HTML */}
      <article className="md-content" dangerouslySetInnerHTML={{ __html: posts.join('<hr>') }} />
    </>
  )
}

createRoot(document.getElementById('app') as HTMLElement).render(<App />)
