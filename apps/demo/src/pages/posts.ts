import { QuillgateError } from '@quillgate/http'
import type { MarkdownEditor } from '@quillgate/markdown-editor'
import { renderSaved } from '@quillgate/markdown-editor/widget'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Account } from '../accounts.ts'
import { readDraft } from '../draft.ts'
import { examplePost } from '../example.ts'
import { createForms, fieldOf } from '../forms.ts'
import type { DemoParts } from '../parts.ts'
import type { Post, PostDraft, PostStore, PostSummary, SavedPost } from '../posts.ts'
import { authorNames } from '../profiles.ts'
import { requireVisitor } from '../sign-in-needed.ts'
import { visitorOf } from '../visitor.ts'

/** The pages of posts: list, one, write, edit, delete. */
export function postRoutes({ csrf, database, editor, posts }: DemoParts & { posts: PostStore }): Router {
  const router = Router()
  const maxTextSize = editor.getSetting('maxTextSize')
  const forms = createForms(csrf)
  // Percent-encoding may make three bytes of one; twice more leaves room to say that a text is too large.
  const textForm = forms.large(`${6 * maxTextSize}b`, showOutdated)

  router.get('/', async (request, response) => {
    requireVisitor(request)
    const [list, names] = await Promise.all([posts.list(), authorNames(database)])
    response.render('posts', { title: 'Posts', posts: list.map((post) => withAuthor(post, names)) })
  })

  router.get('/posts/new', (request, response) => {
    requireVisitor(request)
    const draft = 'example' in request.query ? examplePost : { title: '', body: '' }
    showForm(request, response, editor, { title: 'New post', action: '/posts', draft })
  })

  router.post('/posts', textForm, async (request: Request, response: Response) => {
    const { user } = requireVisitor(request)
    const draft = formDraft(request, response, { title: 'New post', action: '/posts' })
    if (!draft) return
    response.redirect(303, addressOf(await posts.create(user, draft)))
  })

  router.get('/posts/:id', async (request, response) => {
    const { user } = requireVisitor(request)
    const post = await posts.find(idIn(request))
    response.render('post', {
      title: post.title,
      post: withAuthor(post, await authorNames(database)),
      own: post.authorId === user.id,
      // The answer to the form comes here: what was sent with it is saved.
      saved: post.authorId === user.id ? renderSaved('/posts', editAddress(post)) : '',
      missing: 'missing' in request.query,
    })
  })

  router.get('/posts/:id/edit', async (request, response) => {
    const post = await posts.findOwn(idIn(request), requireVisitor(request).user)
    const form = { title: 'Edit post', action: editAddress(post), draft: post, post, version: post.updatedAt }
    showForm(request, response, editor, form)
  })

  router.post('/posts/:id/edit', textForm, async (request: Request, response: Response) => {
    const { user } = requireVisitor(request)
    const post = await posts.findOwn(idIn(request), user)
    const draft = formDraft(request, response, { title: 'Edit post', action: editAddress(post), post })
    if (!draft) return
    try {
      response.redirect(303, addressOf(await posts.update(user, post, draft, versionIn(request))))
    } catch (error) {
      if (!(error instanceof QuillgateError) || error.code !== 'post_changed') throw error
      await showChanged(request, response, draft)
    }
  })

  router.post('/posts/:id/delete', forms.small, async (request: Request, response: Response) => {
    const { user } = requireVisitor(request)
    await posts.remove(user, await posts.findOwn(idIn(request), user))
    response.redirect(303, '/')
  })

  /** The draft of the form; a wrong one is shown again with what was typed, and gives null. */
  function formDraft(request: Request, response: Response, form: FormTexts): PostDraft | null {
    try {
      return readDraft(request.body, maxTextSize)
    } catch (error) {
      if (!(error instanceof QuillgateError)) throw error
      response.status(error.status)
      showForm(request, response, editor, {
        ...form,
        draft: typedIn(request),
        version: versionIn(request),
        problem: error.errors[0]?.message ?? error.detail,
      })
      return null
    }
  }

  /** The form with what was typed, when the post was saved since. Sent again, it replaces that. */
  async function showChanged(request: Request, response: Response, draft: PostDraft): Promise<void> {
    const post = await posts.find(idIn(request))
    response.status(409)
    showForm(request, response, editor, {
      title: 'Not saved yet',
      action: editAddress(post),
      draft,
      post,
      version: post.updatedAt,
      problem:
        'This post was saved since you opened this page, perhaps in another tab. Nothing was overwritten, and your text is still here: to replace what is saved, send it again.',
      saved: `/posts/${post.id}`,
    })
  }

  /** A form whose token is no good any more comes back with what was typed, and a new token. */
  function showOutdated(...[request, response]: Parameters<RequestHandler>): void {
    const signedIn = visitorOf(request).user !== null
    response.status(403)
    showForm(request, response, editor, {
      title: 'Not saved yet',
      action: request.path,
      draft: typedIn(request),
      version: versionIn(request),
      problem: signedIn
        ? 'This page was out of date, so nothing was saved. Your text is still here: send it again.'
        : 'You were signed out, so nothing was saved. Your text is still here: sign in in another tab, then send it again.',
    })
  }

  return router
}

/** Where a saved post is shown; it says when files of its text were no longer there. */
const addressOf = ({ post, missing }: SavedPost): string => `/posts/${post.id}${missing.length > 0 ? '?missing' : ''}`

const editAddress = ({ id }: Post): string => `/posts/${id}/edit`

const idIn = (request: Request): string => String(request.params['id'])

const typedIn = (request: Request): PostDraft => ({
  title: fieldOf(request, 'title'),
  body: fieldOf(request, 'body'),
})

/** What the text of the form began from; a script may leave it out. What is no version is one that no post has. */
function versionIn(request: Request): number | undefined {
  const { version } = (request.body ?? {}) as { version?: unknown }
  if (version === undefined) return undefined
  return typeof version === 'string' && /^\d{1,15}$/.test(version) ? Number(version) : 0
}

interface FormTexts {
  readonly title: string
  readonly action: string
  readonly post?: Post
  /** What the text began from. */
  readonly version?: number | undefined
  readonly problem?: string
  /** Where what is saved can be looked at. */
  readonly saved?: string
}

function showForm(
  request: Request,
  response: Response,
  editor: MarkdownEditor<Account>,
  form: FormTexts & { draft: PostDraft },
): void {
  const { user } = visitorOf(request)
  const widget = editor.widget({ draft: user && { key: form.action, user: user.id } })
  response.render('post-form', {
    ...form,
    media: widget.media,
    field: widget.render('body', form.draft.body, { id: 'body', 'aria-label': 'Text' }),
  })
}

function withAuthor(post: PostSummary, names: ReadonlyMap<string, string>): object {
  return {
    ...post,
    author: names.get(post.authorId) ?? 'somebody',
    date: new Date(post.createdAt).toISOString(),
    edited: post.updatedAt > post.createdAt,
  }
}
