import {
  ConfigurationError,
  checks,
  field,
  getSetting,
  type Input,
  optional,
  parse,
  required,
} from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'
import { objectOf, UnknownSettingError } from '../../src/core/schema.ts'

const OPTIONS = {
  secret: required(checks.text),
  clock: field(checks.functionOf<() => number>(), () => 5),
  csrf: optional(checks.has<{ verify(): boolean; session?(): null }>(['verify'], ['session'])),
  migrate: field(checks.boolean, true),
  names: field(checks.orNull(checks.listOf(checks.text)), ['ada']),
  cors: optional(objectOf({ origins: required(checks.listOf(checks.text)) })),
}

class MisspelledVerifier {
  verify(): boolean {
    return true
  }

  sesion(): null {
    return null
  }
}

const read = (options: unknown, path?: string) => parse(OPTIONS, options, path)

describe('parse', () => {
  it('adds the defaults, also for undefined', () => {
    const values = read({ secret: 'a', clock: undefined })
    expect(values).toMatchObject({ secret: 'a', csrf: undefined, migrate: true, names: ['ada'] })
    expect(values.clock()).toBe(5)
    const isMigrating: boolean = values.migrate
    expect(isMigrating).toBe(true)
  })

  it('keeps given values', () => {
    const csrf = { verify: () => true }
    const given: Input<typeof OPTIONS> = { secret: 'a', csrf, migrate: false, names: null }
    expect(read(given)).toMatchObject({ secret: 'a', migrate: false, names: null })
    expect(read(given).csrf).toBe(csrf)
  })

  it.each([
    { verify: () => true, sessions: new Map() },
    { verify: () => true, session: null },
    { verify: () => true, session: undefined },
    Object.assign(Object.create(null), { verify: () => true }),
  ])('accepts other properties and an absent optional method: %o', (csrf) => {
    expect(read({ secret: 'a', csrf }).csrf).toBe(csrf)
  })

  it('returns frozen values', () => {
    const names = ['bold']
    const values = read({ secret: 'a', names, cors: { origins: ['x'] } })
    expect(() => Object.assign(values, { migrate: false })).toThrow(TypeError)
    expect(() => (values.names as string[]).push('x')).toThrow(TypeError)
    expect(() => Object.assign(values.cors ?? {}, { origins: [] })).toThrow(TypeError)
    expect(() => (read({ secret: 'a' }).names as string[]).push('x')).toThrow(TypeError)
    names.push('still mine')
    expect(values.names).toEqual(['bold'])
  })

  it.each<[unknown, string]>([
    [undefined, 'options must be an object.'],
    [null, 'options must be an object.'],
    [[], 'options must be an object.'],
    ['secret', 'options must be an object.'],
    [{}, 'secret is required.'],
    [{ secret: undefined }, 'secret is required.'],
    [{ secret: 'a', clock: 5 }, 'clock must be a function (got 5).'],
    [{ secret: 'a', clock: null }, 'clock must be a function (got null).'],
    [{ secret: 'a', csrf: {} }, 'csrf must have verify().'],
    [{ secret: 'a', csrf: null }, 'csrf must have verify().'],
    [
      { secret: 'a', csrf: { verify: () => true, sesion: () => null } },
      'csrf.sesion is not a known method. Perhaps session is meant.',
    ],
    [
      { secret: 'a', csrf: new MisspelledVerifier() },
      'csrf.sesion is not a known method. Perhaps session is meant.',
    ],
    [
      { secret: 'a', csrf: { verify: () => true, session: 'id' } },
      'csrf.session must be a function (got "id").',
    ],
    [{ secret: 'a', migrate: 0 }, 'migrate must be true or false (got 0).'],
    [{ secret: 'a', names: 'x' }, 'names must be an array, or null (got "x").'],
    [{ secret: 'a', names: ['x', 5] }, 'names[1] must be a string (got 5).'],
    [{ secret: 'a', cors: 5 }, 'cors must be an object.'],
    [{ secret: 'a', cors: {} }, 'cors.origins is required.'],
    [
      { secret: 'a', cors: { origins: ['x', null] } },
      'cors.origins[1] must be a string (got null).',
    ],
    [
      { secret: 'a', cors: { origin: 'hunter2' } },
      'cors.origin is not an option. Perhaps origins is meant.',
    ],
    [{ secret: 'a', Clock: Date.now }, 'Clock is not an option. Perhaps clock is meant.'],
    [
      { secret: 'a', telephone: 1 },
      'telephone is not an option. Known names are secret, clock, csrf, migrate, names, cors.',
    ],
  ])('rejects %j', (options, message) => {
    expect(() => read(options)).toThrow(ConfigurationError)
    expect(() => read(options)).toThrow(
      expect.objectContaining({ code: 'configuration_error', message }),
    )
  })

  it('never shows the value of an unknown option', () => {
    expect(() => read({ secrt: 'hunter2' })).toThrow(
      /^secrt is not an option\. Perhaps secret is meant\.$/,
    )
  })

  it('rejects the names of properties that every object has', () => {
    expect(() => read(JSON.parse('{"secret": "a", "__proto__": 1}'))).toThrow('__proto__ is not')
    expect(() => read({ secret: 'a', constructor: 1 })).toThrow('constructor is not an option')
  })

  it('prefixes the names in errors with the path of the options', () => {
    expect(() => read({ secret: 'a', migrate: 'no' }, 'login')).toThrow('login.migrate must be')
    expect(() => read(null, 'login')).toThrow('login must be an object.')
    expect(() => read({ x: 1 }, 'settings')).toThrow('settings.x is not a setting')
  })
})

describe('checks', () => {
  const problem = (check: (value: unknown) => unknown, value: unknown) => () =>
    parse({ pause: required(check) }, { pause: value })

  it('whole accepts whole numbers within its bounds', () => {
    for (const value of [1, 2, 60]) problem(checks.whole(1, 60, 'seconds'), value)()
    for (const value of [0, 61, 1.5, Number.NaN, '5', null]) {
      expect(problem(checks.whole(1, 60, 'seconds'), value)).toThrow(
        'pause must be a whole number of seconds from 1 to 60 (got ',
      )
    }
    expect(problem(checks.whole(1), 0)).toThrow('pause must be a whole number, 1 or more (got 0).')
  })

  it('durations are bounded numbers', () => {
    problem(checks.seconds(), 0)()
    problem(checks.seconds(), 1.5)()
    for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY, '5', 1e12])
      expect(problem(checks.seconds(), value)).toThrow(
        'pause must be a number of seconds from 0 to',
      )
    expect(problem(checks.positiveSeconds(9), 0)).toThrow(
      'number of seconds above 0, at most 9 (got 0)',
    )
  })

  it('oneOf accepts its words, and nothing else', () => {
    const check = checks.oneOf(['same', 'separate'])
    problem(check, 'separate')()
    for (const value of ['Same', '', 0, null, ['same']])
      expect(problem(check, value)).toThrow('pause must be "same" or "separate"')
  })

  it('basePath removes a final slash', () => {
    expect(parse({ at: field(checks.basePath, '/x/') }, {})).toEqual({ at: '/x' })
    expect(parse({ at: field(checks.basePath, '/x') }, { at: '/a/b.c/' })).toEqual({ at: '/a/b.c' })
    for (const value of ['', '/', 'a', '/a//b', '/a/..', '/a b', '/a?b', 5, null])
      expect(problem(checks.basePath, value)).toThrow('pause must be a path')
  })
})

describe('getSetting', () => {
  const settings = parse({ limit: field(checks.whole(1), 7) }, {}, 'settings')

  it('returns the value with its type', () => {
    const limit: number = getSetting(settings, 'limit')
    expect(limit).toBe(7)
  })

  it.each(['limits', '', '__proto__', 'constructor', 'toString'])('rejects %j', (name) => {
    expect(() => getSetting(settings, name as 'limit')).toThrow(UnknownSettingError)
    expect(() => getSetting(settings, name as 'limit')).toThrow(`Unknown setting: ${name}. `)
  })
})
