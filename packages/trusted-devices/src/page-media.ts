/** URLs of what a page with the device list loads; they change with every build and are kept for good. */
export interface PageMedia {
  /** Module scripts. */
  readonly js: readonly string[]
  /** Stylesheets. */
  readonly css: readonly string[]
}
