import { findMediaIds } from '../media-urls/media-id.ts'
import type { CompiledElement } from '../policy/compile-policy.ts'

/** A URL that the rendered HTML loads, such as an image, or a link to an uploaded file. */
export interface RenderedMedium {
  readonly element: string
  readonly attribute: string
  /** The URL in the text, before `onMedium` changes it. */
  readonly url: string
}

/** Attributes that replace the attributes of a medium. The policy must allow them. */
export interface MediumAttributes {
  readonly url?: string
  /** The width in pixels. */
  readonly width?: number
  readonly height?: number
  readonly loading?: 'lazy' | 'eager'
}

/**
 * Called for each medium before it is written. If the function returns null or undefined, the
 * medium stays unchanged.
 */
export type OnMedium = (medium: RenderedMedium) => MediumAttributes | null | undefined

/** A heading of a document, for a table of contents. */
export interface Heading {
  /** 1 to 6. */
  readonly level: number
  /** The id in the page. Null if the text results in no id, or if the policy forbids the id. */
  readonly id: string | null
  /** The text without markup. */
  readonly text: string
}

/** The media and headings of a segment. */
export interface Collected {
  readonly media: readonly RenderedMedium[]
  readonly headings: readonly Heading[]
}

/** Collects the media and headings of a document while its blocks are written. */
export class Collector {
  #media: RenderedMedium[] = []
  #headings: Heading[] = []
  readonly #onMedium: OnMedium | null

  constructor(onMedium: OnMedium | null) {
    this.#onMedium = onMedium
  }

  take(): Collected {
    const collected = { media: this.#media, headings: this.#headings }
    this.#media = []
    this.#headings = []
    return collected
  }

  addHeading(heading: Heading): void {
    this.#headings.push(heading)
  }

  /** Returns the attributes to replace, or null. */
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
