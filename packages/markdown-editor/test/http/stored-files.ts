import type { UploadResponse } from '../../../markdown-editor-element/src/contract/wire.ts'
import type { Medium } from '../../src/media/ledger/medium.ts'
import { formWith, type OpenRoutes } from './open-routes.ts'

/** Uploads a file as ada. */
export async function uploadFile(
  editor: OpenRoutes,
  bytes: Uint8Array | string,
  name: string,
  type: string,
): Promise<Medium> {
  const form = { method: 'POST', body: formWith(bytes, name, type) }
  const response = await editor.send('/md-editor/upload', form, { user: 'ada' })
  const { url } = (await response.json()) as UploadResponse
  return reload(editor, url.slice(21, 48))
}

export async function promoteFile(editor: OpenRoutes, { id, tempKey }: Medium): Promise<Medium> {
  const key = tempKey.replace('md-editor/tmp/', 'md-editor/uploads/2026/03/')
  await editor.ledger.beginPromotion(id, key, editor.clock())
  await editor.storage.copy(tempKey, key)
  await editor.ledger.completePromotion(id, editor.clock())
  await editor.storage.remove(tempKey)
  return reload(editor, id)
}

async function reload(editor: OpenRoutes, id: string): Promise<Medium> {
  const medium = await editor.ledger.get(id)
  if (!medium) throw new Error(`There is no medium ${id}`)
  return medium
}
