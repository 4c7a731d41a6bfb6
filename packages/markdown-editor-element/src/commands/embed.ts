/** A page that can be shown in a frame. */
export interface EmbedSource {
  readonly url: string
  readonly title: string
}

interface EmbedHost {
  readonly title: string
  readonly hosts: readonly string[]
  /** Returns the URL of the frame for a page, or null if the page has none. */
  frameUrl(page: URL): string | null
}

const HOSTS: readonly EmbedHost[] = [
  {
    title: 'YouTube video',
    hosts: [
      'youtube.com',
      'www.youtube.com',
      'm.youtube.com',
      'youtu.be',
      'www.youtube-nocookie.com',
    ],
    frameUrl: (page) => {
      const [first = '', second = ''] = pathOf(page)
      const id =
        page.hostname === 'youtu.be'
          ? first
          : ['embed', 'shorts', 'live'].includes(first)
            ? second
            : null
      const video = id ?? page.searchParams.get('v') ?? ''
      const start = /^\d+/.exec(
        page.searchParams.get('t') ?? page.searchParams.get('start') ?? '',
      )?.[0]
      if (!/^[\w-]+$/.test(video)) return null
      return `https://www.youtube.com/embed/${video}${start === undefined ? '' : `?start=${start}`}`
    },
  },
  {
    title: 'Vimeo video',
    hosts: ['vimeo.com', 'www.vimeo.com', 'player.vimeo.com'],
    frameUrl: (page) => {
      const id = pathOf(page).find((part) => /^\d+$/.test(part))
      return id === undefined ? null : `https://player.vimeo.com/video/${id}`
    },
  },
  {
    title: 'CodePen',
    hosts: ['codepen.io', 'www.codepen.io'],
    frameUrl: (page) => {
      const [user = '', kind = '', id = ''] = pathOf(page)
      const known =
        ['pen', 'embed', 'full', 'details'].includes(kind) &&
        /^[\w-]+$/.test(user) &&
        /^\w+$/.test(id)
      return known ? `https://codepen.io/${user}/embed/${id}?default-tab=result` : null
    },
  },
]

/**
 * The frame for the address of a page of YouTube, Vimeo or CodePen; null for any other address.
 * Hosts are compared as the URL parser reads them.
 */
export function embedSource(address: string): EmbedSource | null {
  const page = URL.parse(address)
  if (page === null || !/^https?:$/.test(page.protocol)) return null
  for (const { title, hosts, frameUrl } of HOSTS) {
    const url = hosts.includes(page.hostname) ? frameUrl(page) : null
    if (url !== null) return { url, title }
  }
  return null
}

/** The `<iframe>` that shows a source. */
export function embedFrame({ url, title }: EmbedSource): string {
  return `<iframe src="${url}" title="${title}" width="100%" height="400" allowfullscreen></iframe>`
}

function pathOf(page: URL): string[] {
  return page.pathname.split('/').filter((part) => part !== '')
}
