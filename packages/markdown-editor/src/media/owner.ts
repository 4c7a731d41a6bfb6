/** Owner of what a signed-in user uploads. Ids are compared as text: 1 and '1' are the same user. */
export function userOwner(id: string | number): string {
  return `user:${id}`
}

/** Owner of what an anonymous session uploads, until `editor.claim` gives it to a user. */
export function anonymousOwner(session: string): string {
  return `anon:${session}`
}
