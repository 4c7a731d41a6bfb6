/** A time as it is written in the language of an element; with the day when it is not today. */
export function formatTime(time: number, element: HTMLElement, now: number = Date.now()): string {
  const date = new Date(time)
  const today = date.toDateString() === new Date(now).toDateString()
  const options: Intl.DateTimeFormatOptions = {
    timeStyle: 'short',
    ...(today ? {} : { dateStyle: 'medium' }),
  }
  const language = element.getAttribute('locale') || element.closest<HTMLElement>('[lang]')?.lang
  try {
    return date.toLocaleString(language || undefined, options)
  } catch {
    return date.toLocaleString(undefined, options) // Not a language tag.
  }
}
