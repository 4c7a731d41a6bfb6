import type { FormError, MarkdownEditor } from '@quillgate/markdown-editor'
import { isQuillgateError } from '@quillgate/server/core'
import type { Request, Response } from 'express'
import type { Account } from '../accounts.ts'
import { readDraft } from '../draft.ts'
import { fieldOf } from '../forms.ts'
import type { Post, PostDraft, PostStore } from '../posts.ts'
import { visitorOf } from '../visitor.ts'

export interface FormKind {
  readonly title: string
  readonly action: string
  /** The post that the form edits. */
  readonly post?: Pick<Post, 'id'>
}

interface FormTexts extends FormKind {
  readonly draft: PostDraft
  /** The `updatedAt` of the version that is edited. */
  readonly version?: number | undefined
  readonly problem?: string
  /** The path of the saved post. */
  readonly saved?: string
}

/** The form of a post. If a post cannot be saved, the form shows the entered values again. */
export interface PostForms {
  show(request: Request, response: Response, form: FormTexts): void
  /** Returns the draft that was sent. If it is invalid, shows the form again and returns null. */
  read(request: Request, response: Response, kind: FormKind): PostDraft | null
  /** Shows the form again after an invalid CSRF token (403) or rejected files. */
  showRefused(request: Request, response: Response, refusal?: FormError): Promise<void>
  /**
   * Shows the form again if the post was changed in the meantime: 409 if it was saved, 404 if it
   * was deleted.
   */
  showOvertaken(request: Request, response: Response): Promise<void>
}

const FILES_REFUSED =
  'Nothing was saved. Your text is still here: choose the files again, then send it.'
const OUTDATED =
  'The form could not be checked, so nothing was saved. Your text is still here: send it again.'
const SIGNED_OUT =
  'You were signed out, so nothing was saved. Your text is still here: sign in in another tab, then send it again.'

export const newForm: FormKind = { title: 'New post', action: '/posts' }

export const editForm = ({ id }: Pick<Post, 'id'>): FormKind => ({
  title: 'Edit post',
  action: `/posts/${id}/edit`,
  post: { id },
})

export function createPostForms(editor: MarkdownEditor<Account>, posts: PostStore): PostForms {
  function show(request: Request, response: Response, form: FormTexts): void {
    const { user } = visitorOf(request)
    const draft = user && { key: form.action, user: user.id, fields: ['title'] }
    const placeholder = 'Write your post in Markdown'
    const widget = editor.widget({ draft, placeholder, fileInput: true })
    response.render('post-form', {
      ...form,
      assets: widget.assets,
      field: widget.render('body', form.draft.body, {
        id: 'body',
        'aria-label': 'Text',
        required: true,
      }),
    })
  }

  function showDeleted(request: Request, response: Response): void {
    response.status(404)
    show(request, response, {
      ...newForm,
      title: 'Not saved yet',
      draft: typedIn(request),
      problem:
        'This post was deleted since you opened this page, perhaps in another tab. Your text is still here. To save it as a new post, publish it. Files that only the deleted post used no longer exist.',
    })
  }

  return {
    show,

    read(request, response, kind) {
      try {
        return readDraft(request.body)
      } catch (error) {
        if (!isQuillgateError(error)) throw error
        response.status(error.status)
        const problem = error.errors[0]?.message ?? error.detail
        show(request, response, {
          ...kind,
          draft: typedIn(request),
          version: versionIn(request),
          problem,
        })
        return null
      }
    },

    async showRefused(request, response, refusal) {
      const { user } = visitorOf(request)
      const { id } = request.params
      const kind = typeof id === 'string' ? editForm({ id }) : newForm
      // A signed-out visitor must not learn which posts exist.
      if (user && kind.post && !(await posts.get(kind.post.id)))
        return showDeleted(request, response)
      const isFile = refusal && user && refusal.code !== 'csrf_failed'
      response.status(isFile ? refusal.status : 403)
      show(request, response, {
        ...kind,
        title: 'Not saved yet',
        draft: typedIn(request),
        version: versionIn(request),
        problem: isFile ? `${refusal.detail} ${FILES_REFUSED}` : user ? OUTDATED : SIGNED_OUT,
      })
    },

    async showOvertaken(request, response) {
      const post = await posts.get(String(request.params['id']))
      if (!post) return showDeleted(request, response)
      response.status(409)
      show(request, response, {
        ...editForm(post),
        title: 'Not saved yet',
        draft: typedIn(request),
        version: post.updatedAt,
        problem:
          'This post was saved since you opened this page, perhaps in another tab. Nothing was overwritten, and your text is still here. To replace the saved post, send it again.',
        saved: `/posts/${post.id}`,
      })
    },
  }
}

/**
 * Returns the version in the form, which a script may omit. For an invalid version, returns 0,
 * which matches no post.
 */
export function versionIn(request: Request): number | undefined {
  const { version } = (request.body ?? {}) as { version?: unknown }
  if (version === undefined) return undefined
  return typeof version === 'string' && /^\d{1,15}$/.test(version) ? Number(version) : 0
}

const typedIn = (request: Request): PostDraft => ({
  title: fieldOf(request, 'title'),
  body: fieldOf(request, 'body'),
})
