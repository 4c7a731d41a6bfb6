import { expect, it } from 'vitest'
import { PROTOTYPE_NAMES } from '../../../../tests/support/prototype-names.ts'
import { isTextCommand } from '../../src/commands/commands.ts'
import { DE } from '../../src/i18n/de.ts'
import { FR } from '../../src/i18n/fr.ts'
import { stringsFor } from '../../src/i18n/strings.ts'
import { problemOf } from '../../src/uploads/check-file.ts'

it.each(PROTOTYPE_NAMES)('%s is treated as an unknown word', (word) => {
  const limits = { types: 'image/png', maxSize: null, locale: 'en' }
  const problem = problemOf({ name: 'a', size: 1, type: word }, limits, DE)
  expect(problem).toBe(DE.typeRefused('a', 'PNG'))
  expect(stringsFor(word)).toEqual(stringsFor('qq'))
  expect([DE.keyName(word), FR.keyName(word)]).toEqual([word, word])
  expect(isTextCommand(word)).toBe(false)
})
