import { UsageError } from '@quillgate/server/cli'
import type { Values } from './options.ts'

/** The option `--limit`, as calls take it. @throws UsageError */
export function readLimit({ limit }: Values): { readonly limit?: number } {
  if (limit === undefined) return {}
  if (!/^(?:[1-9]\d?|100)$/.test(limit)) throw new UsageError('--limit must be 1 to 100.')
  return { limit: Number(limit) }
}
