import type { DefaultTheme } from 'vitepress'

const group = (text: string, items: readonly [string, string][]): DefaultTheme.SidebarItem => ({
  text,
  collapsed: false,
  items: items.map(([title, link]) => ({ text: title, link })),
})

export const sidebar: DefaultTheme.Sidebar = [
  group('Set up', [
    ['The application object', '/server'],
    ['Behind a proxy', '/behind-a-proxy'],
    ['Several nodes', '/trusted-devices-nodes'],
    ['The database', '/database'],
    ['All options and settings', '/options'],
    ['Errors', '/errors'],
    ['API', '/api'],
    ['The demo', '/demo'],
  ]),
  group('Frameworks', [
    ['All of them', '/frameworks/'],
    ['Node', '/frameworks/node'],
    ['Express', '/frameworks/express'],
    ['Fastify', '/frameworks/fastify'],
    ['Koa', '/frameworks/koa'],
    ['Hono', '/frameworks/hono'],
    ['NestJS', '/frameworks/nestjs'],
    ['Next', '/frameworks/next'],
    ['h3', '/frameworks/h3'],
  ]),
  group('Add the editor', [
    ['Add the editor to a form', '/markdown-editor'],
    ['Track media with your ORM', '/markdown-editor-orm'],
    ['The element and React', '/markdown-editor-browser'],
    ['Try each feature', '/markdown-editor-live'],
    ['Keyboard, accessibility', '/markdown-editor-keyboard'],
    ['Drafts', '/markdown-editor-drafts'],
    ['Moving from EasyMDE', '/moving-from-easymde'],
  ]),
  group('Keep and show media', [
    ['The life of a file', '/media'],
    ['Storage', '/storage'],
    ['S3 and a CDN', '/s3-and-cdn'],
  ]),
  group('Show texts', [
    ['Rendering', '/rendering'],
    ['Markdown syntax', '/markdown-syntax'],
  ]),
  group('Manage devices', [
    ['Add trusted devices', '/trusted-devices'],
    ['In the browser', '/trusted-devices-browser'],
    ['Guards, own sessions', '/trusted-devices-guards'],
    ['Where a login comes from', '/trusted-devices-location'],
    ['Login alerts', '/login-alerts'],
    ['Administration', '/trusted-devices-admin'],
    ['Privacy', '/trusted-devices-privacy'],
    ['Outbox', '/trusted-devices-outbox'],
  ]),
  group('Judge it', [
    ['Guarantees', '/guarantees'],
    ['Measurements', '/measurements'],
    ['OWASP ASVS 5.0 V7', '/asvs'],
  ]),
]
