import type { Csrf, Network } from '@quillgate/http'
import type { MarkdownEditor } from '@quillgate/markdown-editor'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import type { Account } from './accounts.ts'
import type { DemoDatabase } from './database.ts'

/** What the demo is made of. */
export interface DemoParts {
  readonly csrf: Csrf
  readonly database: DemoDatabase
  readonly devices: TrustedDevices
  readonly editor: MarkdownEditor<Account>
  readonly network: Network
  /** For the sign-in form, for example `5/minute`; null: none. */
  readonly loginRateLimit: string | null
}
