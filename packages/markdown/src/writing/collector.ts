import { findMediaIds } from '../media-urls/media-id.ts'
import type { CompiledElement } from '../policy/compile-policy.ts'
import type { AttributeRule } from '../policy/policy.ts'

/** A URL from which rendered HTML loads something, or a link to an uploaded file. */
export interface RenderedMedium {
  readonly element: string
  readonly attribute: string
  /** As the text gives it; a hook may have written another one into the page. */
  readonly url: string
}

/**
 * What an application makes of the URL of a medium: `url` and attributes take the place of the text's own. All of it
 * must still pass the policy.
 */
export interface MediumAttributes {
  readonly url?: string
  /** In pixels. */
  readonly width?: number
  readonly height?: number
  readonly loading?: 'lazy' | 'eager'
}

/** Hears of each medium before it is written; null or undefined leaves it as it is. */
export type OnMedium = (medium: RenderedMedium) => MediumAttributes | null | undefined

/** Something of a text that the page does not show as its author wrote it, and why. */
export interface Removal {
  readonly kind: 'element' | 'attribute' | 'url' | 'unverified'
  /** The element's name; with an attribute `element[attribute]`. */
  readonly name: string
  /** The URL or value that was refused, at most 100 characters of it. */
  readonly value?: string
  /** For the author, in English. */
  readonly reason: string
}

/** A heading of a document, for tables of contents. */
export interface Heading {
  /** 1 to 6. */
  readonly level: number
  /** The id in the page; null when the text gives none. */
  readonly id: string | null
  /** Without markup. */
  readonly text: string
}

// Of one run of blocks; more would only repeat themselves.
const maxRemovals = 100

/** What a run of blocks holds beside its HTML. */
export interface Collected {
  readonly media: readonly RenderedMedium[]
  readonly headings: readonly Heading[]
  readonly removals: readonly Removal[]
}

/**
 * Gathers what the blocks of a document hold beside their HTML.
 */
export class Collector {
  #media: RenderedMedium[] = []
  #headings: Heading[] = []
  #removals: Removal[] = []
  readonly #onMedium: OnMedium | null

  constructor(onMedium: OnMedium | null) {
    this.#onMedium = onMedium
  }

  /** Gives what was gathered since the last call. */
  take(): Collected {
    const collected = { media: this.#media, headings: this.#headings, removals: this.#removals }
    this.#media = []
    this.#headings = []
    this.#removals = []
    return collected
  }

  /** Notes a heading. */
  addHeading(heading: Heading): void {
    this.#headings.push(heading)
  }

  /** Notes something that does not reach the page. */
  remove(kind: Removal['kind'], name: string, reason: string, value?: string): void {
    if (this.#removals.length >= maxRemovals) return
    this.#removals.push({
      kind,
      name,
      reason,
      ...(value !== undefined && { value: value.slice(0, 100).toWellFormed() }),
    })
  }

  /** Notes an attribute that does not reach the page; `rule` is what the policy asks of it, if it lists it. */
  removeAttribute(
    element: string,
    attribute: string,
    value: string,
    rule: AttributeRule | undefined,
  ): void {
    const name = `${element}[${attribute}]`
    if (rule === undefined) this.remove('attribute', name, 'the policy does not list it', value)
    else if (rule === 'link' || rule === 'media')
      this.remove('url', name, 'the policy does not list its scheme', value)
    else this.remove('attribute', name, 'the policy does not list this value', value)
  }

  /**
   * Notes what an element loads, and asks the application what the page shall load instead.
   *
   * @param attributes - cleaned
   * @returns what changes; null for nothing
   */
  collectMedia(
    { name, media }: CompiledElement,
    attributes: ReadonlyMap<string, string>,
  ): [string, string][] | null {
    let changes: [string, string][] | null = null
    for (const attribute of media) {
      const url = attributes.get(attribute)
      if (url === undefined || (attribute === 'href' && !isMediaUrl(url))) continue
      const medium = { element: name, attribute, url }
      this.#media.push(medium)
      const change = this.#onMedium?.(medium)
      if (change == null) continue
      const { url: newUrl = url, width, height, loading } = change
      changes ??= []
      changes.push([attribute, newUrl])
      if (width !== undefined) changes.push(['width', String(width)])
      if (height !== undefined) changes.push(['height', String(height)])
      if (loading !== undefined) changes.push(['loading', loading])
    }
    return changes
  }
}

const likeMediaId = /m[0-9a-z]{26}|%/i

function isMediaUrl(url: string): boolean {
  return likeMediaId.test(url) && findMediaIds(url).size > 0
}
