import { findMediaIds } from '../media-urls/media-id.ts'
import type { CompiledElement } from '../policy/compile-policy.ts'
import type { AttributeRule } from '../policy/policy.ts'

/** A URL that rendered HTML loads, or a link to an uploaded file. */
export interface RenderedMedium {
  readonly element: string
  readonly attribute: string
  /** The URL in the text. `onMedium` may have replaced it in the page. */
  readonly url: string
}

/** The URL and attributes that replace those in the text. The policy must allow them. */
export interface MediumAttributes {
  readonly url?: string
  /** In pixels. */
  readonly width?: number
  readonly height?: number
  readonly loading?: 'lazy' | 'eager'
}

/**
 * Called for each medium before it is written. If it returns null or undefined, the medium stays
 * unchanged.
 */
export type OnMedium = (medium: RenderedMedium) => MediumAttributes | null | undefined

/** A part of a text that the page does not show as the author wrote it, with the reason. */
export interface Removal {
  readonly kind: 'element' | 'attribute' | 'url' | 'unverified'
  /** The name of the element, or `element[attribute]`. */
  readonly name: string
  /** The URL or value that was removed, at most 100 characters. */
  readonly value?: string
  /** A message for the author, in English. */
  readonly reason: string
}

/** A heading of a document, for tables of contents. */
export interface Heading {
  /** 1 to 6. */
  readonly level: number
  /** The id in the page; null if its text has no letters or digits. */
  readonly id: string | null
  /** The text without markup. */
  readonly text: string
}

// The limit for each unit. Further removals would mostly repeat these.
const maxRemovals = 100

/** The data of a unit in addition to its HTML. */
export interface Collected {
  readonly media: readonly RenderedMedium[]
  readonly headings: readonly Heading[]
  readonly removals: readonly Removal[]
}

/** Collects the media, headings and removals of the blocks of a document. */
export class Collector {
  #media: RenderedMedium[] = []
  #headings: Heading[] = []
  #removals: Removal[] = []
  readonly #onMedium: OnMedium | null

  constructor(onMedium: OnMedium | null) {
    this.#onMedium = onMedium
  }

  /** Returns everything that was collected since the last call. */
  take(): Collected {
    const collected = { media: this.#media, headings: this.#headings, removals: this.#removals }
    this.#media = []
    this.#headings = []
    this.#removals = []
    return collected
  }

  addHeading(heading: Heading): void {
    this.#headings.push(heading)
  }

  remove(kind: Removal['kind'], name: string, reason: string, value?: string): void {
    if (this.#removals.length >= maxRemovals) return
    const shown = value === undefined ? {} : { value: value.slice(0, 100).toWellFormed() }
    this.#removals.push({ kind, name, reason, ...shown })
  }

  /** Adds the removal of an attribute. `rule` is undefined if the policy does not list it. */
  removeAttribute(
    element: string,
    attribute: string,
    value: string,
    rule: AttributeRule | undefined,
  ): void {
    const isUrl = rule === 'link' || rule === 'media'
    const what = isUrl ? 'its scheme' : rule === undefined ? 'it' : 'this value'
    const reason = `the policy does not list ${what}`
    this.remove(isUrl ? 'url' : 'attribute', `${element}[${attribute}]`, reason, value)
  }

  /**
   * Adds the media of an element, and asks the application for replacements.
   *
   * @param attributes - cleaned
   * @returns the attributes that change; null if none change
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
      for (const [other, value] of Object.entries({ width, height, loading }))
        if (value !== undefined) changes.push([other, String(value)])
    }
    return changes
  }
}

const likeMediaId = /m[0-9a-z]{26}|%/i

function isMediaUrl(url: string): boolean {
  return likeMediaId.test(url) && findMediaIds(url).size > 0
}
