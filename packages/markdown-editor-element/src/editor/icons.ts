import type { ToolbarButton } from '../contract/toolbar.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** The `d` attributes of SVG paths on a grid of 24 by 24, for lines with round ends. */
const PATHS: Readonly<Record<ToolbarButton, string>> = {
  bold: 'M7 5h5.5a3.5 3.5 0 0 1 0 7H7zM7 12h6.5a3.5 3.5 0 0 1 0 7H7z',
  italic: 'M10.5 5H18M6 19h7.5M14.5 5l-5 14',
  strikethrough:
    'M4 12h16M16.5 8c-.4-1.8-2-3-4.4-3C9.6 5 7.8 6.3 7.8 8.3c0 1 .4 1.8 1.1 2.4M7.5 16c.4 1.8 2.1 3 4.6 3 2.6 0 4.4-1.3 4.4-3.4 0-.6-.1-1-.4-1.5',
  highlight: 'M9 15l-3.5 3.5V20h4l2-2M9 15v-3l8-8 4 4-8 8.5-1.5 1.5zM12 9l4.5 4.5',
  heading: 'M6 5v14M18 5v14M6 12h12',
  quote:
    'M10 7H4.5v5.5H10zM10 12.5c0 2.7-1.4 4.4-4 5.2M19.5 7H14v5.5h5.5zM19.5 12.5c0 2.7-1.4 4.4-4 5.2',
  'horizontal-rule': 'M4 12h16M7 6h10M7 18h10',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  'code-block':
    'M9.5 5C6.8 5 7.8 7.8 7.3 10c-.3 1.3-1 2-2.8 2 1.8 0 2.5.7 2.8 2 .5 2.2-.5 5 2.2 5M14.5 5c2.7 0 1.7 2.8 2.2 5 .3 1.3 1 2 2.8 2-1.8 0-2.5.7-2.8 2-.5 2.2.5 5-2.2 5',
  'unordered-list': 'M9.5 6H20M9.5 12H20M9.5 18H20M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  'ordered-list':
    'M10.5 6H20M10.5 12H20M10.5 18H20M4 5l1.5-1v5.5M4 15.5c.3-1 2.6-1 2.6.5 0 1.3-2.6 2-2.6 3.7h2.8',
  'task-list': 'M3.5 6.5L5.2 8.2 8.5 4.5M3.5 16.5l1.7 1.7 3.3-3.7M12.5 7H20M12.5 17H20',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1.2 1.2M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2',
  image: 'M4 5h16v14H4zM4 16.5l4.5-4.5 4 4 2.5-2.5 5 5M15.5 9h.01',
  video: 'M3 6h12v12H3zM15 10.5l6-3.5v10l-6-3.5',
  document: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  table: 'M4 5h16v14H4zM4 9.7h16M4 14.4h16M12 5v14',
  details: 'M5 5.5l4 3.5-4 3.5zM13 9h7M5 18h15',
  embed: 'M4 5h16v14H4zM4 9.5h16M6.5 7.3h.01M9 7.3h.01',
  superscript: 'M4 8l8 10M12 8L4 18M16 6c.4-1.4 3.6-1.6 3.6.5 0 1.7-3.6 2.4-3.6 4.5h3.9',
  subscript: 'M4 5l8 10M12 5L4 15M16 15c.4-1.4 3.6-1.6 3.6.5 0 1.7-3.6 2.4-3.6 4.5h3.9',
  undo: 'M8 5L4 9l4 4M4 9h10.5a5.3 5.3 0 0 1 0 10.6H11',
  redo: 'M16 5l4 4-4 4M20 9H9.5a5.3 5.3 0 0 0 0 10.6H13',
}

/** Creates the icon of a button. */
export function createIcon(button: ToolbarButton): SVGSVGElement {
  return drawIcon(PATHS[button])
}

/** Creates an icon from the `d` attribute of an SVG path on a grid of 24 by 24. */
export function drawIcon(lines: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', lines)
  svg.append(path)
  return svg
}
