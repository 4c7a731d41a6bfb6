import { Buffer } from 'node:buffer'
import { hkdfSync } from 'node:crypto'
import { ConfigurationError } from './errors.ts'

const MIN_BYTES = 32

/**
 * Derives one key per secret (HKDF-SHA-256, RFC 5869). Sign with the first key. Accept signatures
 * of every key.
 *
 * @param secret one secret or several, newest first; each must have at least 32 bytes of UTF-8
 * @param label the use of the keys, for example `csrf-token`
 * @throws ConfigurationError for a missing or short secret; its message never contains a secret
 */
export function deriveKeys(
  secret: string | readonly string[],
  label: string,
): [Buffer, ...Buffer[]] {
  const [newest, ...older] =
    typeof secret === 'string' ? [secret] : Array.isArray(secret) ? secret : []
  return [deriveKey(newest, label), ...older.map((one) => deriveKey(one, label))]
}

function deriveKey(secret: unknown, label: string): Buffer {
  if (typeof secret === 'string' && Buffer.byteLength(secret) >= MIN_BYTES)
    return Buffer.from(hkdfSync('sha256', secret, '', `quillgate:${label}`, 32))
  const problem = `must have at least ${MIN_BYTES} bytes. Create it with \`openssl rand -base64 48\``
  throw new ConfigurationError('secret', problem)
}
