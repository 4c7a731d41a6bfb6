import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/next'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { findUser, secret } from './application.ts'

export const gate = createQuillgate({
  secret,
  database: 'sqlite:./data/app.sqlite',
  // Trusts the server of Next.js. A proxy in front of that server must overwrite x-forwarded-for.
  trustedProxies: ['unix'],
})
export const devices = createTrustedDevices(gate, { users: { findById: findUser } })
export const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })
export const handlers = mount(gate)
