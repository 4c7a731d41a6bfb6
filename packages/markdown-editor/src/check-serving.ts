import { ConfigurationError } from '@quillgate/server/core'
import type { MarkdownEditorOptions } from './options.ts'
import type { Settings } from './settings.ts'

/**
 * Checks what options and settings say together about who gets files, and from where.
 *
 * @throws ConfigurationError that names the option or setting
 */
export function checkServing(
  {
    authorize,
    delivery,
    storage,
  }: Pick<MarkdownEditorOptions<never>, 'authorize' | 'delivery' | 'storage'>,
  { publicUrl, immutableMedia }: Pick<Settings, 'publicUrl' | 'immutableMedia'>,
): void {
  if (delivery === 'redirect' && typeof storage.signedUrl !== 'function') {
    throw new ConfigurationError(
      'delivery',
      'needs a storage that signs URLs, such as s3({ … })',
      delivery,
    )
  }
  if (!authorize) return
  if (publicUrl !== null) {
    const problem =
      'cannot be used with the option authorize: a bucket or CDN shows its files to everybody. Use delivery: ' +
      '"redirect" to serve private files from the storage'
    throw new ConfigurationError('settings.publicUrl', problem, publicUrl)
  }
  if (immutableMedia) {
    const problem =
      'cannot be used with the option authorize: files that not everybody may see are kept in no cache'
    throw new ConfigurationError('settings.immutableMedia', problem, immutableMedia)
  }
}
