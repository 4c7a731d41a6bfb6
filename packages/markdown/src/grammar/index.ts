export { commonEnds } from './common-ends.ts'
export { escapeHtml } from './escape-html.ts'
export { schemeOf } from './url.ts'
