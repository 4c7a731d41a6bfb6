import { DefaultRenderer, IncrementalRenderer } from '@quillgate/markdown'
import { articleMixture, generate } from '../../corpus/generated.ts'
import { cpuTime } from '../../lib/cpu-time.ts'
import { loadMarkdownIt } from './renderers.ts'

const keys = 200
const letters = 'typed words, '
let type: () => void
let renderAll: () => void

/**
 * Prepares typing in an article.
 *
 * @param length - the length of the article in characters
 * @param place - the position of the caret, as a share of the text from 0 to 1
 */
export function prepare(length: number, place: number): void {
  const article = generate(1, length, articleMixture)
  const caret = findCaret(article, place)
  const renderer = new IncrementalRenderer({ markdownIt: loadMarkdownIt() })
  let text = article
  let typed = 0
  renderer.update(text)
  type = () => {
    // After 100 keystrokes, the typed characters are removed again, so that the text does not grow.
    typed = (typed + 1) % 200
    const word = letters.repeat(8).slice(0, typed < 100 ? typed : 200 - typed)
    text = article.slice(0, caret) + word + article.slice(caret)
    renderer.update(text)
  }
  const full = new DefaultRenderer({ highlight: null })
  renderAll = () => {
    full.render(article)
  }
}

/** Returns the mean CPU time of a keystroke, in ms. */
export function timeKeys(): number {
  return (
    cpuTime(() => {
      for (let key = 0; key < keys; key++) type()
    }) / keys
  )
}

/** Returns the CPU time of a rendering of the whole text, in ms. */
export function timeWhole(): number {
  return cpuTime(renderAll)
}

// Returns the paragraph end that is nearest to `part`, a share of the text from 0 to 1.
function findCaret(text: string, part: number): number {
  const ends = [...text.matchAll(/[a-z]\.(?=\n\n[A-Z])/g)].map(({ index }) => index + 2)
  const wanted = text.length * part
  const nearest = ends.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0]
  if (nearest === undefined) throw new RangeError('The text has no paragraph.')
  return nearest
}
