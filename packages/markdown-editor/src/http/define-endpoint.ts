import {
  type Access,
  createDefineEndpoint,
  type DefineEndpoint,
  requireCsrf,
} from '@quillgate/server/http'
import { STORAGE_ERRORS } from '@quillgate/storage'
import { EDITOR_ERRORS, type MarkdownEditorErrorCode } from '../errors.ts'
import type { EditorUser } from '../media/ledger/principal.ts'
import type { RouteDependencies } from './dependencies.ts'
import { authenticateUser } from './requester.ts'

/** Defines an endpoint of the markdown editor. */
export const defineEndpoint: DefineEndpoint<MarkdownEditorErrorCode> = createDefineEndpoint(
  'markdown-editor',
  { ...STORAGE_ERRORS, ...EDITOR_ERRORS },
)

/**
 * A user of the application, or an anonymous session if the settings allow it. The CSRF token is
 * needed without a bearer token.
 *
 * @param purpose completes "Sign in to …", for example `upload files`
 */
export function userOrSession(deps: RouteDependencies, purpose: string): Access<EditorUser | null> {
  return {
    authenticate: (context) => authenticateUser(deps, context, purpose),
    verifyCsrf: async (context, _user, token) =>
      requireCsrf(deps.csrf, context, await deps.identify(context), token),
  }
}
