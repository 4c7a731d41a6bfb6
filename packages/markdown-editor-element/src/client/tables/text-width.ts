const HALF_WIDTH = /^[\uff61-\uffdc]/
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u
const NO_WIDTH = /^[\p{M}\p{Cf}]+$/u

let segmenter: Intl.Segmenter | undefined

/** How many columns a text takes in a font of one width: two for Chinese, Japanese, Korean and emoji. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  segmenter ??= new Intl.Segmenter()
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += widthOf(segment)
  return width
}

function widthOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0
  return WIDE.test(character) && !HALF_WIDTH.test(character) ? 2 : 1
}
