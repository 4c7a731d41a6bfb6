/** How many words and characters a text has, as its readers count them. */
export interface TextCount {
  readonly words: number
  readonly characters: number
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

const ASCII = /^[\0-\x7f]*$/

// The maximum size of a piece of a line, in UTF-16 code units, because a line can be the whole
// text.
const PIECE = 2000

// Markup that is not counted: players, pictures, link addresses, tags, URLs, numbers of items, task
// boxes, footnotes, alerts and code fences.
const NOT_WORDS =
  /<(video|audio)\b[^<>]*>[^<]*<\/\1>|!\[(?:\\.|[^\\\]])*\]\([^()\s]*(?:\s"[^"]*")?\)|(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s"[^"]*")?\)|<\/?[a-z][^<>]*>|\bhttps?:\/\/\S+|^[ \t>]*\d{1,9}[.)](?=[ \t])|\[[ x]\](?=\s)|\[[\^!][^\]\s]+\]|^[ \t>]*(?:`{3,}|~{3,})\S*/gim

/**
 * Counts a text, bit by bit. Words are counted in languages without spaces too; an emoji is one
 * character, and a line break is.
 *
 * @yields after each bit of work, so that it can be laid aside for a while
 */
export function* countText(text: string): Generator<void, TextCount> {
  let wordCount = 0
  let characterCount = 0
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start)
    const piece = text.slice(start, end)
    wordCount += countWords(piece)
    characterCount += ASCII.test(piece) ? piece.length : countSegments(characters.segment(piece))
    start = end
    yield
  }
  return { words: wordCount, characters: characterCount }
}

// Words and characters do not continue after a line break or a space, so the text can be cut there.
function endOfPiece(text: string, start: number): number {
  const most = start + PIECE
  if (most >= text.length) return text.length
  for (const mark of ['\n', ' ']) {
    const at = text.lastIndexOf(mark, most)
    if (at >= start) return at + 1
  }
  return isSecondHalf(text.charCodeAt(most)) ? most + 1 : most
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

function countWords(piece: string): number {
  let count = 0
  for (const { isWordLike } of words.segment(piece.replace(NOT_WORDS, ' '))) if (isWordLike) count++
  return count
}

function countSegments(segments: Iterable<unknown>): number {
  let count = 0
  for (const _ of segments) count++
  return count
}
