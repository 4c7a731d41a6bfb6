import { Buffer } from 'node:buffer'
import { hkdfSync } from 'node:crypto'
import { ConfigurationError } from './errors.ts'

const MIN_SECRET_BYTES = 32

/**
 * Derives one key per secret for one use (HKDF-SHA-256, RFC 5869), so that no two uses share a key.
 * With several secrets, which is how a secret is rotated, the first key signs and all of them
 * verify.
 *
 * @param secret the application's secret, or several, newest first; each at least 32 bytes of UTF-8
 * @param label what the key is for, for example `csrf-token`; another label gives an unrelated key
 * @param bytes length of each key
 * @throws ConfigurationError when there is no secret or one is too short; it never quotes a secret
 *
 * @example
 * const [signingKey] = deriveKeys(secret, 'access-token')
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
