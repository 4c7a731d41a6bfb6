import { readFileSync } from 'node:fs'
import { getSetting } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'
import { TOOLBAR_BUTTONS } from '../../../markdown-editor-element/src/contract/toolbar.ts'
import { UnknownSettingError } from '../../../server/src/core/schema.ts'
import { DEFAULT_UPLOAD_TYPES } from '../../src/index.ts'
import { resolveSettings, type SettingsInput } from '../../src/settings.ts'

const untyped = (settings: unknown): SettingsInput => settings as SettingsInput

describe('resolveSettings', () => {
  it('allows by default the types that the guide lists', () => {
    const guide = readFileSync(
      new URL('../../../../apps/docs/markdown-editor.md', import.meta.url),
      'utf8',
    )
    const list = guide.slice(guide.indexOf('### Types'), guide.indexOf('### Images'))
    const listed = [...list.matchAll(/^\| .* \|$/gm)].flatMap(([row]) =>
      [...row.matchAll(/`(\w+\/[\w.+-]+)`/g)].map(([, type]) => type),
    )
    expect(listed.toSorted()).toEqual([...DEFAULT_UPLOAD_TYPES].toSorted())
  })

  it('has the documented defaults', () => {
    const { toolbar, allowedUploadTypes, ...settings } = resolveSettings()
    expect(settings).toEqual({
      mediaUrl: '/media/',
      maxUploadSize: 52_428_800,
      uploadPath: 'md-editor/uploads/%Y/%m/',
      tempUploadPath: 'md-editor/tmp/',
      tempMaxAge: 86_400,
      unsavedGrace: null,
      orphanGrace: 86_400,
      sweepInterval: 3600,
      uploadRateLimit: '60/minute',
      ownerQuota: 1_073_741_824,
      defaultHeight: '300px',
      placeholder: 'Add your comment here...',
      theme: 'auto',
      requireAuth: true,
      cleanupMedia: true,
      publicUrls: [],
    })
    expect(toolbar.filter((item) => item !== 'separator')).toEqual(TOOLBAR_BUTTONS)
    expect(allowedUploadTypes).toEqual(
      expect.arrayContaining(['image/png', 'video/mp4', 'audio/mpeg', 'application/pdf']),
    )
    for (const type of allowedUploadTypes)
      expect(type).not.toMatch(/html|svg|javascript|\/xml$|\+xml$/)
  })

  it('keeps the given settings and adds defaults', () => {
    const settings = resolveSettings({
      maxUploadSize: 5,
      placeholder: '',
      toolbar: [],
      tempMaxAge: 0,
      theme: undefined,
    })
    expect(settings).toMatchObject({
      maxUploadSize: 5,
      placeholder: '',
      toolbar: [],
      tempMaxAge: 0,
      theme: 'auto',
    })
  })

  it('adds a missing slash at the end of folders', () => {
    const settings = resolveSettings({
      mediaUrl: '/files',
      tempUploadPath: 'incoming',
      uploadPath: 'kept/%Y',
      publicUrls: ['https://cdn.example.com/m'],
    })
    expect(settings).toMatchObject({
      mediaUrl: '/files/',
      tempUploadPath: 'incoming/',
      uploadPath: 'kept/%Y/',
      publicUrls: ['https://cdn.example.com/m/'],
    })
  })

  it('converts media types to their canonical spelling', () => {
    expect(
      resolveSettings({ allowedUploadTypes: ['IMAGE/PNG', 'image/jpg'] }).allowedUploadTypes,
    ).toEqual(['image/png', 'image/jpeg'])
  })

  it.each(['image/avif', 'image/heic', 'image/tiff', 'image/x-icon'])(
    'refuses to allow %s, because its metadata cannot be removed',
    (type) => {
      expect(() => resolveSettings({ allowedUploadTypes: ['image/png', type] })).toThrow(
        'must not be an image type whose metadata cannot be removed, such as AVIF, HEIC or TIFF',
      )
    },
  )

  it('returns immutable settings', () => {
    const given = ['bold'] as const
    const settings = resolveSettings({ toolbar: given })
    expect(() => Object.assign(settings, { maxUploadSize: 1 })).toThrow(TypeError)
    expect(() => (settings.toolbar as string[]).push('italic')).toThrow(TypeError)
    expect(() => (resolveSettings().allowedUploadTypes as string[]).push('text/html')).toThrow(
      TypeError,
    )
    expect(given).toEqual(['bold'])
  })

  it.each([
    ['toolbar', 'bold'],
    ['toolbar', ['bold', 'blink']],
    ['mediaUrl', '/'],
    ['mediaUrl', 'media/'],
    ['mediaUrl', '/me dia/'],
    ['mediaUrl', '/media/../'],
    ['mediaUrl', '//cdn.example.com/'],
    ['mediaUrl', 'https://cdn.example.com/media/'],
    ['mediaUrl', '/md-editor/'],
    ['mediaUrl', '/md-editor/assets/media/'],
    ['allowedUploadTypes', null],
    ['allowedUploadTypes', 'image/png'],
    ['allowedUploadTypes', ['image/*']],
    ['allowedUploadTypes', ['text/html']],
    ['allowedUploadTypes', ['image/svg+xml']],
    ['allowedUploadTypes', ['application/xhtml+xml']],
    ['allowedUploadTypes', ['application/rss+xml']],
    ['allowedUploadTypes', ['text/javascript']],
    ['allowedUploadTypes', ['application/x-httpd-php']],
    ['allowedUploadTypes', ['application/octet-stream']],
    ['maxUploadSize', null],
    ['maxUploadSize', 0],
    ['maxUploadSize', -1],
    ['maxUploadSize', 1.5],
    ['maxUploadSize', Number.POSITIVE_INFINITY],
    ['maxUploadSize', '10'],
    ['maxUploadSize', '10MB'],
    ['uploadPath', '%Y/%m/'],
    ['uploadPath', '%Y'],
    ['uploadPath', '/'],
    ['uploadPath', 'up-%Y/'],
    ['uploadPath', 'uploads/%y/'],
    ['uploadPath', 'uploads/%'],
    ['uploadPath', '/uploads/'],
    ['uploadPath', '../'],
    ['uploadPath', '../uploads/'],
    ['uploadPath', 'md-editor/../'],
    ['uploadPath', 'uploads/./x/'],
    ['uploadPath', 'uploads//x/'],
    ['uploadPath', 'up loads/'],
    ['uploadPath', 'uploads\\x/'],
    ['uploadPath', ''],
    ['uploadPath', `${'x'.repeat(301)}/`],
    ['uploadPath', 'md-editor/%Y/'],
    ['uploadPath', 'md-editor/tmp/kept/'],
    ['uploadPath', 'md-editor/tmp'],
    ['tempUploadPath', 'tmp/%Y/'],
    ['tempUploadPath', 'md-editor/uploads/tmp/'],
    ['tempUploadPath', 'md-editor/'],
    ['tempMaxAge', -1],
    ['tempMaxAge', 'a day'],
    ['tempMaxAge', Number.NaN],
    ['unsavedGrace', '7 days'],
    ['orphanGrace', null],
    ['uploadRateLimit', '60 per minute'],
    ['uploadRateLimit', '0/minute'],
    ['uploadRateLimit', 60],
    ['ownerQuota', 0],
    ['defaultHeight', '300'],
    ['defaultHeight', '1px;background:red'],
    ['placeholder', null],
    ['theme', 'sepia'],
    ['requireAuth', null],
    ['requireAuth', 'false'],
    ['requireAuth', 0],
    ['cleanupMedia', 1],
    ['uploadSize', 10],
    ['MAX_UPLOAD_SIZE', 10],
    ['publicUrls', ['/media/']],
    ['publicUrls', ['ftp://example.com/media/']],
    ['publicUrls', ['https://user:pass@example.com/media/']],
    ['publicUrls', ['https://example.com/media/?v=1']],
  ])('refuses %s: %j at start (F31)', (name, value) => {
    const mistake = (): unknown => resolveSettings(untyped({ [name]: value }))
    expect(mistake).toThrow(
      expect.objectContaining({ code: 'configuration_error', name: 'ConfigurationError' }),
    )
    expect(mistake).toThrow(/settings\.(?:\w+)/)
  })

  it('names the setting and the value', () => {
    expect(() => resolveSettings(untyped({ maxUploadSize: '10MB' }))).toThrow(
      'settings.maxUploadSize must be a whole number of bytes, 1 or more (got "10MB").',
    )
    expect(() => resolveSettings(untyped({ toolbar: ['bold', 'blink'] }))).toThrow(
      'settings.toolbar[1]',
    )
  })

  it('suggests a known setting for an unknown one', () => {
    const mistakes = {
      maxUploadSiz: 'maxUploadSize',
      TEMP_UPLOAD_PATH: 'tempUploadPath',
      placeHolder: 'placeholder',
    }
    for (const [wrong, right] of Object.entries(mistakes)) {
      expect(() => resolveSettings(untyped({ [wrong]: 1 }))).toThrow(
        `settings.${wrong} is not a setting. Perhaps ${right}`,
      )
    }
    expect(() => resolveSettings(untyped({ rendererClass: 1 }))).toThrow(
      'Known names are toolbar, mediaUrl',
    )
    expect(() => resolveSettings(untyped(JSON.parse('{"__proto__": 1}')))).toThrow(
      'settings.__proto__ is not a setting',
    )
  })

  it('refuses a mediaUrl under the endpoints, even with another base path', () => {
    expect(() => resolveSettings({ mediaUrl: '/blog/editor/' }, '/blog/editor')).toThrow(
      'settings.mediaUrl must not overlap with the endpoints under /blog/editor',
    )
  })

  it('refuses settings that are not an object', () => {
    for (const wrong of [null, [], 'x', 1]) {
      expect(() => resolveSettings(untyped(wrong))).toThrow('settings must be an object')
    }
  })
})

describe('getSetting', () => {
  it('returns the value of a setting with its type', () => {
    const size: number = getSetting(resolveSettings({ maxUploadSize: 5 }), 'maxUploadSize')
    expect(size).toBe(5)
  })

  it.each(['nonexistentKey', 'MAX_UPLOAD_SIZE', '', '__proto__', 'constructor', 'toString'])(
    'throws a KeyError for %j, which is not a setting',
    (key) => {
      const read = (): unknown => getSetting(resolveSettings(), key as 'theme')
      expect(read).toThrow(UnknownSettingError)
      expect(read).toThrow(
        expect.objectContaining({ name: 'KeyError', code: 'unknown_setting', key }),
      )
    },
  )

  it('suggests a similar setting', () => {
    expect(() => getSetting(resolveSettings(), 'UPLOAD_PATH' as 'theme')).toThrow(
      'Unknown setting: UPLOAD_PATH. Perhaps uploadPath',
    )
  })
})
