import type { MarkdownEditor } from '@quillgate/markdown-editor'
import type { Quillgate } from '@quillgate/server'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import type { Account } from './accounts.ts'
import type { DemoDatabase } from './database.ts'

export interface DemoParts {
  readonly database: DemoDatabase
  readonly devices: TrustedDevices
  readonly editor: MarkdownEditor<Account>
  readonly gate: Quillgate
}
