/** The words of an attribute that is a list with white space between. */
export function splitWords(attribute: string): string[] {
  return attribute.split(/\s+/).filter((word) => word !== '')
}
