/** Markup is not counted as words. A character is a grapheme cluster, such as an emoji. */
export interface TextCount {
  readonly words: number
  readonly characters: number
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

const ASCII = /^[\0-\x7f]*$/

// Lines with more code units than this are split. A piece can have one code unit more.
const PIECE = 2000

// Markup that is not counted as words: video and audio elements, images, link destinations, tags,
// URLs, item numbers, task boxes, footnote references, alert markers and code fences.
const NOT_WORDS =
  /<(video|audio)\b[^<>]*>[^<]*<\/\1>|!\[(?:\\.|[^\\\]])*\]\([^()\s]*(?:\s"[^"]*")?\)|(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s"[^"]*")?\)|<\/?[a-z][^<>]*>|\bhttps?:\/\/\S+|^[ \t>]*\d{1,9}[.)](?=[ \t])|\[[ x]\](?=\s)|\[[\^!][^\]\s]+\]|^[ \t>]*(?:`{3,}|~{3,})\S*/gim

/** Yields the lines, each with its line break. Splits long lines, after a space if possible. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start)
    yield text.slice(start, end)
    start = end
  }
}

// Cuts after a line break or space, because no word or grapheme cluster continues there.
function endOfPiece(text: string, start: number): number {
  const most = start + PIECE
  const line = text.indexOf('\n', start)
  if (line !== -1 && line < most) return line + 1
  if (most >= text.length) return text.length
  const space = text.lastIndexOf(' ', most)
  if (space >= start) return space + 1
  const isInSurrogatePair = (text.charCodeAt(most) & 0xfc00) === 0xdc00
  return isInSurrogatePair ? most + 1 : most
}

/** Counts the words and characters of a piece of text. */
export function countPiece(piece: string): TextCount {
  const segments = [...words.segment(piece.replace(NOT_WORDS, ' '))]
  return {
    words: segments.filter(({ isWordLike }) => isWordLike).length,
    characters: ASCII.test(piece) ? piece.length : [...characters.segment(piece)].length,
  }
}
