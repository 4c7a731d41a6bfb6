import { readFileSync } from 'node:fs'
import { getSetting } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'
import {
  resolveSettings,
  type SettingName,
  type SettingsInput,
} from '../../packages/markdown-editor/src/settings.ts'

interface SettingsCase {
  readonly id: string
  readonly note?: string
  readonly key: string
  readonly userSettings?: Record<string, unknown> | null | 'absent'
  readonly expected: {
    readonly value?: unknown
    readonly raises?: string
    readonly keys?: readonly string[]
  }
}

const file = new URL('cases/editor-settings.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as SettingsCase[]

// Our results for cases that differ. See differences.md.
const differ: Readonly<Record<string, (test: SettingsCase) => void>> = {
  'set-default-renderer-class': isOption,
  'set-default-upload-handler-class': isOption,
  'set-default-cleanup-media': () => expect(resolveSettings().cleanupMedia).toBe(true),
  'set-default-allowed-upload-types': ({ expected }) => {
    const audio = ['audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/wav']
    expect([...resolveSettings().allowedUploadTypes].sort()).toEqual(
      [...(expected.value as string[]), ...audio].sort(),
    )
  },
  'set-override-null': isRefused,
  'set-wrong-type': isRefused,
  'set-typo': isRefused,
  'set-unknown-user': isRefused,
  'set-null-user': () =>
    expect(() => resolveSettings(null as unknown as SettingsInput)).toThrow('must be an object'),
  'set-mutable-default': () => {
    const settings = resolveSettings()
    expect(Object.isFrozen(getSetting(settings, 'toolbar'))).toBe(true)
  },
  'set-all-keys': ({ expected }) => {
    const settings = resolveSettings()
    for (const key of expected.keys ?? []) {
      if (!/^(?:RENDERER|UPLOAD_HANDLER)_CLASS$/.test(key))
        expect(settings).toHaveProperty(toCamelCase(key))
    }
  },
}

describe('reference: settings', () => {
  it.each(cases.map((test) => [test.id, test] as const))('%s', (_id, test) => {
    const check = differ[test.id] ?? isSame
    check(test)
  })

  it('overrides only existing cases', () => {
    const ids = new Set(cases.map(({ id }) => id))
    expect(Object.keys(differ).filter((id) => !ids.has(id))).toEqual([])
  })
})

function isSame(test: SettingsCase): void {
  const settings = resolveSettings(toSettings(test.userSettings))
  // The original has names in upper case. Ours are in camel case. Unknown names are unchanged.
  const key = (test.expected.raises ? test.key : toCamelCase(test.key)) as SettingName
  if (test.expected.raises) {
    expect(() => getSetting(settings, key)).toThrow(
      expect.objectContaining({ name: test.expected.raises }),
    )
    expect(() => getSetting(settings, key)).toThrow(test.key)
  } else {
    expect(getSetting(settings, key)).toEqual(test.expected.value)
  }
}

/** Expects that a key is not a setting. Here, it is an option of `createMarkdownEditor`. */
function isOption(test: SettingsCase): void {
  expect(() => getSetting(resolveSettings(), toCamelCase(test.key) as SettingName)).toThrow(
    expect.objectContaining({ name: 'KeyError' }),
  )
}

function isRefused(test: SettingsCase): void {
  expect(() => resolveSettings(toSettings(test.userSettings))).toThrow(
    expect.objectContaining({ code: 'configuration_error' }),
  )
}

function toSettings(given: SettingsCase['userSettings']): SettingsInput {
  if (given === undefined || given === null || given === 'absent') return {}
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [toCamelCase(name), value]),
  ) as SettingsInput
}

function toCamelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())
}
