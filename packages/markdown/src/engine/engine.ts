import { toEmbedHosts } from '../embeds/frame.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import { defaultPolicy } from '../policy/default-policy.ts'
import type { RenderPolicy } from '../policy/policy.ts'
import { createParser } from '../syntax/create-parser.ts'
import { Verifier } from '../verification/verifier.ts'
import type { RendererParts } from '../writing/token-writer.ts'
import { checkOptions } from './check-options.ts'
import { unlessTooLarge } from './limits.ts'
import { LiveDocument } from './live-document.ts'
import type { MarkdownRendererOptions, RenderOptions } from './renderer-options.ts'
import { plainSegment, type Segment } from './segment.ts'
import { escapeLines, normalizeSource } from './source.ts'

/** The default of `maxLength`, in UTF-16 units. Longer texts are escaped instead of parsed. */
export const defaultMaxLength: number = 256 * 1024

/** The parser, the policy and the verifier of a renderer. Checks the options of the renderer. */
export class Engine {
  readonly #parts: RendererParts | null
  readonly #maxLength: number

  constructor(options: MarkdownRendererOptions) {
    checkOptions(options)
    const { markdownIt = null, policy = defaultPolicy, embedHosts } = options
    const { highlight = null, onMedium = null, onFinding = null } = options
    const active =
      embedHosts === undefined ? policy : { ...policy, embeds: toEmbedHosts(embedHosts) }
    this.#maxLength = options.maxLength ?? defaultMaxLength
    this.#parts = null
    if (markdownIt === null) return
    const compiled = compilePolicy(active)
    const parser = createParser(markdownIt, compiled.embeds, options.alertTitles)
    // These rules are not needed: `open` normalizes texts, and `LiveDocument` parses the blocks.
    parser.core.ruler.disable(['normalize', 'block'])
    this.#parts = {
      parser,
      onMedium,
      onFinding,
      highlight: canHighlight(active) ? highlight : null,
      policy: compiled,
      verifier: new Verifier(active),
    }
  }

  /**
   * Opens a document whose text may change. Returns a function that renders the text.
   *
   * @throws TypeError if the scope is not 1 to 100 letters, digits, `_` and `-`
   */
  open({ scope }: RenderOptions = {}): (markdown: string) => readonly Segment[] {
    const live = this.#parts && new LiveDocument(scoped(this.#parts, scope))
    return (markdown) => {
      const source = normalizeSource(markdown)
      const isParsed = live !== null && source.length <= this.#maxLength
      const segments = isParsed ? unlessTooLarge(() => live.update(source)) : null
      return segments ?? [plainSegment(escapeLines(source))]
    }
  }
}

function canHighlight({ elements }: RenderPolicy): boolean {
  const classes = elements['span']?.attributes?.['class']
  return typeof classes === 'object' && 'tokens' in classes && classes.tokens.includes('hljs-*')
}

function scoped(parts: RendererParts, scope: string | undefined): RendererParts {
  if (scope === undefined) return parts
  if (!/^[\w-]{1,100}$/.test(scope))
    throw new TypeError('The option "scope" must be 1 to 100 letters, digits, "_" or "-".')
  // A scope contains no dot, so ids of one scope never begin with the prefix of another scope.
  const idPrefix = `${parts.policy.idPrefix}${scope}.`
  return { ...parts, policy: { ...parts.policy, idPrefix } }
}
