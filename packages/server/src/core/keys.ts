import { Buffer } from 'node:buffer'
import { hkdfSync } from 'node:crypto'
import { ConfigurationError } from './errors.ts'

const MIN_SECRET_BYTES = 32

/**
 * Derives one key per secret (HKDF-SHA-256, RFC 5869). Sign with the first, verify with all.
 *
 * @param secret one, or several, newest first; each at least 32 bytes of UTF-8
 * @param label the use of the keys, for example `csrf-token`
 * @throws ConfigurationError for a missing or short secret; its message never contains a secret
 */
export function deriveKeys(
  secret: string | readonly string[],
  label: string,
  bytes = 32,
): [Buffer, ...Buffer[]] {
  const [newest, ...older] =
    typeof secret === 'string' ? [secret] : Array.isArray(secret) ? secret : []
  return [deriveKey(newest, label, bytes), ...older.map((one) => deriveKey(one, label, bytes))]
}

function deriveKey(secret: unknown, label: string, bytes: number): Buffer {
  if (typeof secret !== 'string' || Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    throw new ConfigurationError(
      'secret',
      `must have at least ${MIN_SECRET_BYTES} bytes; make one with \`openssl rand -base64 48\``,
    )
  }
  return Buffer.from(hkdfSync('sha256', secret, '', `quillgate:${label}`, bytes))
}
