import { FormError, type MarkdownEditor } from '@quillgate/markdown-editor'
import type { Quillgate } from '@quillgate/server'
import { QuillgateError } from '@quillgate/server/core'
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Account } from './accounts.ts'
import { visitorOf } from './visitor.ts'

/** The maximum size of the body of a small form. */
const SMALL = '16kb'

/** Middleware that reads forms and checks their CSRF tokens. */
export interface Forms {
  /** Reads forms with a few short fields. */
  readonly small: RequestHandler[]
  /**
   * Creates middleware for forms with a text.
   *
   * @param limit the maximum size of the body for a signed-in visitor, in the format of Express.
   * Other visitors have a limit of 1 MB.
   * @param onOutdated called if the CSRF token is invalid; shows the form again with the entered
   * values
   */
  large(limit: string, onOutdated: RequestHandler): RequestHandler[]
}

/** Rejects compressed bodies, because a small body can expand to a very large body. */
export function createForms(gate: Quillgate): Forms {
  const read = (limit: string): RequestHandler =>
    express.urlencoded({ extended: false, inflate: false, limit, parameterLimit: 20 })
  const verify =
    (onOutdated: RequestHandler): RequestHandler =>
    async (request, response, next) => {
      if (await gate.verifyCsrf(request, fieldOf(request, 'csrf_token'))) return next()
      return onOutdated(request, response, next)
    }
  const refuse: RequestHandler = (_request, _response, next) => {
    next(
      new QuillgateError(
        'csrf_failed',
        403,
        'The CSRF token of the form is old or missing, or cookies are off. ' +
          'Go back, reload the page and try again.',
      ),
    )
  }
  return {
    small: [read(SMALL), verify(refuse)],
    large(limit, onOutdated) {
      const [forUsers, forOthers] = [read(limit), read('1mb')]
      return [
        (request, response, next) =>
          (visitorOf(request).user ? forUsers : forOthers)(request, response, next),
        verify(onOutdated),
      ]
    },
  }
}

/**
 * Creates middleware for forms that may contain files. The editor reads forms with files and checks
 * their CSRF tokens. `others` reads all other forms.
 *
 * @param onRefused called if the editor rejects a form; shows the form again with its values
 */
export function withFiles(
  editor: Pick<MarkdownEditor<Account>, 'readForm'>,
  others: readonly RequestHandler[],
  onRefused: (request: Request, response: Response, refusal: FormError) => Promise<void>,
): RequestHandler[] {
  const hasFiles = (request: Request): boolean => Boolean(request.is('multipart/form-data'))
  const readFiles: RequestHandler = async (request, response, next) => {
    if (!hasFiles(request)) return next()
    try {
      request.body = Object.fromEntries(await editor.readForm(request))
    } catch (error) {
      if (!(error instanceof FormError)) throw error
      request.body = Object.fromEntries(error.fields)
      return onRefused(request, response, error)
    }
    return next()
  }
  const rest = others.map(
    (read): RequestHandler =>
      (request, response, next) =>
        hasFiles(request) ? next() : read(request, response, next),
  )
  return [readFiles, ...rest]
}

/** Returns the value of a form field, or `''` if it is missing or not text. */
export function fieldOf(request: Request, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' ? value : ''
}
