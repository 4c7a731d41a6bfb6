import { parseProperties } from '@quillgate/server/http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type PropertyRule, propertiesSchema } from '../../src/http/properties.ts'

const RULES: readonly PropertyRule[] = [
  { type: 'text' },
  { type: 'text', max: 5 },
  { type: 'text', max: 5, optional: true },
  { type: 'line', max: 5 },
  { type: 'line', max: 5, optional: true },
  { type: 'boolean' },
  { type: 'boolean', optional: true },
  { type: 'whole', min: 1, max: 100 },
  { type: 'whole', min: 0, max: 3, optional: true },
]

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\t',
      '\u0000',
      '\u0085',
      '\u00a0',
      '\ufeff',
      '\ud800',
      '\udc00',
      '😀',
      'e\u0301',
    ),
  }),
)
const value = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 102 }) },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.boolean() },
)

it('the check accepts exactly the values that the schema accepts', () => {
  for (const rule of RULES) {
    const rules = { member: rule }
    const validate = new Ajv2020().compile(propertiesSchema(rules))
    const isTaken = (body: unknown): boolean => {
      try {
        parseProperties(body, rules)
        return true
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_request', status: 400 })
        return false
      }
    }
    const body = fc.oneof(
      { weight: 8, arbitrary: value.map((member) => ({ member })) },
      { weight: 1, arbitrary: fc.jsonValue() },
      { weight: 1, arbitrary: fc.record({ member: value, other: value }, { requiredKeys: [] }) },
    )
    fc.assert(
      fc.property(body, (sent) => {
        expect([sent, isTaken(sent)]).toEqual([sent, validate(sent)])
      }),
      { numRuns: 1000 },
    )
  }
})
