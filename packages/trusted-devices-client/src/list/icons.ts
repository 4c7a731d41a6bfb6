import { type ViewElement, view } from './view-node.ts'

// SVG paths on a grid of 24 by 24. The icons show types of devices, because the logos of browsers
// and operating systems are trademarks.
const PATHS = new Map<string | null, string>([
  ['desktop', 'M3 5h18v11H3zM9 20h6M12 16v4'],
  ['mobile', 'M7.5 3h9v18h-9zM11 18h2'],
  ['tablet', 'M5 3h14v18H5zM11 18h2'],
  ['tv', 'M3 7h18v12H3zM8 3l4 4 4-4'],
])
const OTHER = 'M4 6h16v12H4zM8 10l2.5 2L8 14M12.5 14H16'

/** Creates the icon of a device type. Screen readers ignore it. */
export function deviceIcon(deviceType: string | null): ViewElement {
  const path = PATHS.get(deviceType) ?? OTHER
  return view(
    'svg',
    { class: 'td-icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    view('path', { d: path }),
  )
}
