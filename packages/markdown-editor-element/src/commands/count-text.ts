/**
 * The number of words and characters of a text. Markup is not counted as words. A character is what
 * a person sees as one, such as an emoji.
 */
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

/** Divides a text into lines, and long lines into pieces that end with a space. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start)
    yield text.slice(start, end)
    start = end
  }
}

// Words and characters do not continue after a line break or a space, so the text can be cut there.
function endOfPiece(text: string, start: number): number {
  const most = start + PIECE
  const line = text.indexOf('\n', start)
  if (line !== -1 && line < most) return line + 1
  if (most >= text.length) return text.length
  const space = text.lastIndexOf(' ', most)
  if (space >= start) return space + 1
  return isSecondHalf(text.charCodeAt(most)) ? most + 1 : most
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

/**
 * Counts a piece of a text. Words are counted in languages without spaces too; an emoji is one
 * character, and so is a line break.
 */
export function countPiece(piece: string): TextCount {
  return {
    words: countWords(piece),
    characters: ASCII.test(piece) ? piece.length : countSegments(characters.segment(piece)),
  }
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
