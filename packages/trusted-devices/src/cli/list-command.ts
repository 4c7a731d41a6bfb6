import { type Command, toJson, toLine } from './command.ts'
import { FILTER_OPTIONS, readFilter } from './filter-options.ts'
import { readLimit } from './read-limit.ts'

/** `list`: devices of all users, or those that fit. */
export const list: Command = {
  summary: 'list devices, newest activity first',
  details: 'Without conditions: those of all users. Several conditions must all hold.\n',
  options: [...FILTER_OPTIONS, 'limit', 'cursor'],
  prepare(values) {
    const { cursor } = values
    const limit = readLimit(values)
    const filter = readFilter(values)
    return async (devices) => {
      const page = await devices.registry.listAll({
        ...(filter === null ? {} : { filter }),
        ...limit,
        ...(cursor === undefined ? {} : { cursor }),
      })
      const more = page.nextCursor === null ? '' : `More with --cursor ${page.nextCursor}\n`
      const none = page.devices.length === 0 && page.nextCursor === null
      return {
        json: { devices: page.devices.map(toJson), next_cursor: page.nextCursor },
        text: none ? 'No devices.\n' : page.devices.map(toLine).join('') + more,
      }
    }
  },
}
