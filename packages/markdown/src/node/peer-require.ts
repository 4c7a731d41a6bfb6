import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Returns the `require` that finds optional peers beside this package. */
export function peerRequire(): NodeJS.Require {
  // Bundles of CommonJS have no `import.meta.url`. They run in the folder of their application.
  const url: string | undefined = import.meta.url
  return createRequire(url ?? join(process.cwd(), 'package.json'))
}
