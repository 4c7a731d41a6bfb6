import { isTag, type Piece, type Tag } from './scan-html.ts'

// Browsers read the content of these as text or keep it from the page: it goes with the tags.
const droppedWithContent: ReadonlySet<string> = new Set(
  'script style template textarea title xmp noscript noembed noframes plaintext'.split(' '),
)
const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed frame hr image img input link meta param source track wbr'.split(' '),
)
// Elements whose end tags people leave out: the next one ends the one before.
const selfEnding: ReadonlySet<string> = new Set('li p dt dd tr th td option'.split(' '))
// Enough for any text that a person wrote; deeper, every end tag would have to look far for its start.
const maxOpen = 500

/**
 * Follows an author's tags through a whole document, so that an end tag only counts where a tag of the author's is
 * open: it can close neither the blocks that markdown opened nor the page.
 */
export class RawTags {
  readonly #open: string[] = []

  /**
   * Gives what each piece of one block becomes: tags that can't stand, and all that stands in a script or its like,
   * become ''. An opening tag of these without its end in the same block goes alone.
   */
  rewrite(pieces: readonly Piece[]): string[] {
    const written: string[] = []
    const lastEnds = findLastEnds(pieces)
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index] ?? ''
      if (!isTag(piece)) {
        written.push(piece)
        continue
      }
      written.push(this.#write(piece))
      if (piece.isEnd || !holdsText(piece.name) || (lastEnds.get(piece.name) ?? -1) < index) continue
      while (++index < pieces.length) {
        written.push('')
        if (isEndOf(pieces[index], piece.name)) break
      }
    }
    return written
  }

  #write({ name, isEnd, source }: Tag): string {
    if (holdsText(name)) return name === 'iframe' && !isEnd ? `${source}</iframe>` : ''
    if (voidElements.has(name)) return isEnd ? '' : source
    return isEnd ? this.#end(name, source) : this.#start(name, source)
  }

  #start(name: string, source: string): string {
    if (selfEnding.has(name) && this.#open.at(-1) === name) return source
    if (this.#open.length >= maxOpen) return ''
    this.#open.push(name)
    return source
  }

  #end(name: string, source: string): string {
    const index = this.#open.lastIndexOf(name)
    if (index === -1) return ''
    this.#open.length = index
    return source
  }
}

function holdsText(name: string): boolean {
  return name === 'iframe' || droppedWithContent.has(name)
}

function isEndOf(piece: Piece | undefined, name: string): boolean {
  return piece !== undefined && isTag(piece) && piece.isEnd && piece.name === name
}

function findLastEnds(pieces: readonly Piece[]): Map<string, number> {
  const ends = new Map<string, number>()
  pieces.forEach((piece, index) => {
    if (isTag(piece) && piece.isEnd) ends.set(piece.name, index)
  })
  return ends
}
