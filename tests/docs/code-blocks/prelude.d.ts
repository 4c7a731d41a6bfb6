import type { AlertStrings, LoginAlertsOptions } from '@quillgate/login-alerts'
import type { EditorUser, RecordEntry as Entry, MarkdownEditor } from '@quillgate/markdown-editor'
import type { Quillgate } from '@quillgate/server'
import type {
  Authenticated,
  TrustedDevice,
  TrustedDevices,
  TrustedDevicesOptions,
  User,
} from '@quillgate/trusted-devices'
import type { Express, Request as ExpressRequest } from 'express'
import type { Redis } from 'ioredis'

// Declarations of values that the code blocks use without defining them.
declare global {
  const accounts: {
    find(id: string): User | null
    check(username: string, password: string): Promise<User | null>
    isActive(user: User): boolean
    checkCode(user: User, code: unknown): Promise<boolean>
    requireNewPassword(id: string): Promise<void>
  }
  type RecordEntry = Entry
  const alertOptions: LoginAlertsOptions
  const app: Express
  const createLoginAlerts: typeof import('@quillgate/login-alerts').createLoginAlerts
  const createTrustedDevices: typeof import('@quillgate/trusted-devices').createTrustedDevices
  const devices: TrustedDevices
  const device: TrustedDevice
  const dutch: AlertStrings
  const editor: MarkdownEditor
  const employees: { find(id: string): User | null }
  const express: typeof import('express').default
  const gate: Quillgate
  const id: string
  const req: ExpressRequest
  const deviceRevoked: typeof import('@quillgate/trusted-devices/signals').deviceRevoked
  const options: TrustedDevicesOptions
  const redis: Redis
  const secret: string
  const session: Authenticated
  const uid: string
  const url: string
  const user: User
  const username: string
  const password: string
  const post: { id: string; body: string }
  const form: { body: string }
  const router: { push(path: string): void }
  const store: import('express-session').Store
  const transport: { sendMail(mail: object): Promise<unknown> }
  function allPosts(): AsyncIterable<{
    id: string
    body: string
    author: EditorUser & { id: string; name: string }
  }>
  function audit(...what: unknown[]): Promise<void>
  function mail(to: unknown, text: string): Promise<void>
  function changeEmail(user: User, address: unknown): Promise<void>
  function userOf(request: unknown): User | null
}
