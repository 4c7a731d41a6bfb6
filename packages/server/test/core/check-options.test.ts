import {
  checkedElsewhere,
  checkOptions,
  mustBeBoolean,
  mustBeFunction,
  mustBeOneOf,
  mustBeWhole,
  mustHave,
  parseBasePath,
} from '@quillgate/server/core'
import { mount } from '@quillgate/server/express'
import { describe, expect, it } from 'vitest'

interface Options {
  readonly secret: string
  readonly clock?: () => number
  readonly csrf?: { verify(): boolean }
  readonly migrate?: boolean
}

const check = (options: unknown, parent?: string): void =>
  checkOptions<Options>(
    options as Options,
    {
      secret: checkedElsewhere,
      clock: mustBeFunction,
      csrf: mustHave('verify'),
      migrate: mustBeBoolean,
    },
    ['secret'],
    parent,
  )

describe('checkOptions', () => {
  it('accepts what is right, and what is undefined', () => {
    check({ secret: 'a', clock: Date.now, csrf: { verify: () => true }, migrate: false })
    check({ secret: 'a', clock: undefined, csrf: undefined, migrate: undefined })
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
    [{ secret: 'a', migrate: 0 }, 'migrate must be true or false (got 0).'],
    [{ secret: 'a', Clock: Date.now }, 'Clock is not an option. Perhaps clock is meant.'],
    [
      { secret: 'a', telephone: 1 },
      'telephone is not an option. Known are secret, clock, csrf, migrate.',
    ],
  ])('refuses %j', (options, message) => {
    expect(() => check(options)).toThrow(
      expect.objectContaining({ code: 'configuration_error', message }),
    )
  })

  it('never shows the value of an unknown option', () => {
    expect(() => check({ secrt: 'hunter2' })).toThrow(
      /^secrt is not an option\. Perhaps secret is meant\.$/,
    )
  })

  it('names what the options are a part of', () => {
    expect(() => check({ secret: 'a', migrate: 'no' }, 'cors')).toThrow('cors.migrate must be')
    expect(() => check(null, 'cors')).toThrow('cors must be an object.')
  })
})

describe('mustBeWhole', () => {
  it('accepts whole numbers within its bounds', () => {
    for (const value of [1, 2, 60]) mustBeWhole(1, 60, 'seconds')(value, 'pause')
  })

  it.each([0, 61, 1.5, Number.NaN, '5', null])('refuses %j', (value) => {
    expect(() => mustBeWhole(1, 60, 'seconds')(value, 'pause')).toThrow(
      'pause must be a whole number from 1 to 60 (seconds)',
    )
    expect(() => mustBeWhole(1, 60)(value, 'pause')).toThrow(/from 1 to 60 \(got /)
  })
})

describe('mustBeOneOf', () => {
  it('accepts its words, and nothing else', () => {
    const check = mustBeOneOf('same', 'separate')
    check('same', 'place')
    check('separate', 'place')
    for (const value of ['Same', '', 0, null, ['same']]) {
      expect(() => check(value, 'place')).toThrow('place must be "same" or "separate"')
    }
  })
})

describe('parseBasePath', () => {
  it('takes a final slash away', () => {
    expect(parseBasePath('/a/b.c/')).toBe('/a/b.c')
  })

  it.each(['', '/', 'a', '/a//b', '/a/..', '/a b', '/a?b', 5, null])('refuses %j', (path) => {
    expect(() => parseBasePath(path)).toThrow(/basePath/)
  })
})

describe('mount', () => {
  it('refuses an option that does not exist', () => {
    const handler = { fetch: async () => new Response(), handles: () => true }
    const options: object = { onUnexpcted: () => {} }
    expect(() => mount(handler, options)).toThrow(
      /onUnexpcted is not an option\. Perhaps onUnexpected is meant/,
    )
  })
})
