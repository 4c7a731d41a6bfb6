import { renderSaved } from '@quillgate/markdown-editor'
import { isQuillgateError } from '@quillgate/server/core'
import {
  type CookieOptions,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import { MAX_TEXT_SIZE } from '../draft.ts'
import { examplePost } from '../example.ts'
import { createForms, withFiles } from '../forms.ts'
import type { DemoParts } from '../parts.ts'
import {
  isPostId,
  type PostStore,
  type PostSummary,
  postNotFound,
  type SavedPost,
} from '../posts.ts'
import { authorNames } from '../profiles.ts'
import { requireVisitor } from '../sign-in-needed.ts'
import { createPostForms, editForm, newForm, versionIn } from './post-form.ts'

export function postRoutes({
  gate,
  database,
  editor,
  posts,
}: DemoParts & { posts: PostStore }): Router {
  const router = Router()
  const form = createPostForms(editor, posts)
  const forms = createForms(gate)
  // Percent-encoding can triple the size of a text. With a factor of six, even a text of twice the
  // maximum size is read. A text that is slightly too large then gets a clear error message.
  const readText = forms.large(`${6 * MAX_TEXT_SIZE}b`, (request, response) =>
    form.showRefused(request, response),
  )
  const textForm = withFiles(editor, readText, form.showRefused)

  router.get('/', async (request, response) => {
    requireVisitor(request)
    const [list, names] = await Promise.all([posts.list(), authorNames(database)])
    response.render('posts', {
      title: 'Posts',
      posts: list.map((post) => withAuthor(post, names)),
      notice: 'deleted' in request.query ? 'The post was deleted.' : null,
    })
  })

  router.get('/posts/new', (request, response) => {
    requireVisitor(request)
    const draft = 'example' in request.query ? examplePost : { title: '', body: '' }
    form.show(request, response, { ...newForm, draft })
  })

  router.post('/posts', textForm, async (request: Request, response: Response) => {
    const { user } = requireVisitor(request)
    const draft = form.read(request, response, newForm)
    if (!draft) return
    const saved = await posts.create(user, draft)
    redirectWith(response, saved, 'published')
  })

  router.get('/posts/:id', async (request, response) => {
    const { user } = requireVisitor(request)
    const post = await posts.find(idIn(request))
    const { cookie = '' } = request.headers
    const [, notice] = NOTICES.find(([name]) => cookie.includes(`${COOKIE}=${name}`)) ?? []
    if (notice) response.clearCookie(COOKIE, cookieOf(post.id))
    response.render('post', {
      title: post.title,
      post: withAuthor(post, await authorNames(database)),
      own: post.authorId === user.id,
      // The browser opens this page after a save. The page then deletes the drafts of both forms.
      saved: post.authorId === user.id ? renderSaved(newForm.action, editForm(post).action) : '',
      missing: 'missing' in request.query,
      notice,
    })
  })

  router.get('/posts/:id/edit', async (request, response) => {
    const post = await posts.findOwn(idIn(request), requireVisitor(request).user)
    form.show(request, response, { ...editForm(post), draft: post, version: post.updatedAt })
  })

  router.post(
    '/posts/:id/edit',
    checkId,
    textForm,
    async (request: Request, response: Response) => {
      const { user } = requireVisitor(request)
      try {
        const post = await posts.findOwn(idIn(request), user)
        const draft = form.read(request, response, editForm(post))
        if (!draft) return
        redirectWith(response, await posts.update(user, post, draft, versionIn(request)), 'saved')
      } catch (error) {
        if (!hasCode(error, 'post_changed', 'post_not_found')) throw error
        await form.showOvertaken(request, response)
      }
    },
  )

  router.post('/posts/:id/delete', forms.small, async (request: Request, response: Response) => {
    const { user } = requireVisitor(request)
    const post = await posts.findOwn(idIn(request), user)
    try {
      await posts.remove(user, post, versionIn(request))
      response.redirect(303, '/?deleted')
    } catch (error) {
      if (!hasCode(error, 'post_changed')) throw error
      const detail =
        'This post was saved since you opened this page, perhaps in another tab, so it was not deleted.'
      response
        .status(409)
        .render('error', { title: 'Not deleted', status: 409, detail, saved: `/posts/${post.id}` })
    }
  })

  return router
}

/** The cookie that shows a message once, on the page of a saved post. */
const COOKIE = 'demo_saved'
const NOTICES = [
  ['published', 'Published.'],
  ['saved', 'Saved.'],
] as const

const cookieOf = (id: string): CookieOptions => ({
  path: `/posts/${id}`,
  httpOnly: true,
  sameSite: 'lax',
})

function redirectWith(
  response: Response,
  saved: SavedPost,
  notice: (typeof NOTICES)[number][0],
): void {
  response.cookie(COOKIE, notice, { ...cookieOf(saved.post.id), maxAge: 60_000 })
  response.redirect(303, addressOf(saved))
}

/**
 * Checks the id before the form is read, because a rejected form is shown again with the id in its
 * URL.
 */
const checkId: RequestHandler = (request, _response, next) =>
  next(isPostId(idIn(request)) ? undefined : postNotFound())

/** Returns the path of a saved post. `?missing` means that files in its text no longer exist. */
const addressOf = ({ post, missing }: SavedPost): string =>
  `/posts/${post.id}${missing.length > 0 ? '?missing' : ''}`

const idIn = (request: Request): string => String(request.params['id'])

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  isQuillgateError(error) && codes.includes(error.code)

function withAuthor(post: PostSummary, names: ReadonlyMap<string, string>): object {
  return {
    ...post,
    author: names.get(post.authorId) ?? 'somebody',
    date: new Date(post.createdAt).toISOString(),
    edited: post.updatedAt > post.createdAt,
  }
}
