const BASE = new Intl.Collator('und', { sensitivity: 'base' })
const PLAIN = [...'abcdefghijklmnopqrstuvwxyz0123456789', 'ae', 'oe', 'ss', 'th']
const LONGEST = 255 // Characters. Longer names are cut. No real name is that long.
/**
 * Characters that older collations treat as equal without a rule: Bengali fractions, the dot of ŀ.
 */
const ODD: Readonly<Record<string, string>> = { '৴': '1', '৵': '2', '৶': '3', '৷': '4', '·': '' }
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/**
 * The key under which failures of an account are counted. Databases find one account by many
 * spellings: MariaDB's default collations ignore case, accents and trailing blanks and take `ø` for
 * `o` and digits of all scripts for ours; applications trim. Each spelling must not have a limit of
 * its own, so this joins all that any of them joins, and a little more: `ada`, `ÁDÁ` and `a d a`
 * share one.
 *
 * @param username as it was typed
 */
export function accountKey(username: string): string {
  const characters = [...unaccented(username.slice(0, 4 * LONGEST))].slice(0, LONGEST)
  // One collation takes ß for s, another for ss.
  return characters.map(toPlain).join('').replace(/ss+/g, 's')
}

/**
 * Converts to upper and to lower case, because some letters do not convert back: ſ is an s, ß an
 * ss, ς a σ.
 */
function unaccented(text: string): string {
  return text.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD')
}

function toPlain(character: string): string {
  if (INVISIBLE.test(character)) return ''
  if (character <= '\x7f') return character
  // Some marks are letters above others, to a collation; the others are nothing.
  return (
    ODD[character] ??
    PLAIN.find((plain) => BASE.compare(character, plain) === 0) ??
    (/\p{M}/u.test(character) ? '' : character)
  )
}
