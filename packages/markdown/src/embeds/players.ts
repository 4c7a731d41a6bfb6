interface Player {
  /** All hosts of the site: the hosts of its pages and the hosts of its frames. */
  readonly hosts: readonly string[]
  /** The hosts of the frames. The first host offers the most privacy. */
  readonly frameHosts: readonly string[]
  /** Returns the path, query and fragment of the frame. If a page has no player, returns null. */
  readonly toFrame: (page: URL) => string | null
}

const players: readonly Player[] = [
  {
    hosts: [
      ...['www.youtube.com', 'youtube.com', 'm.youtube.com', 'music.youtube.com', 'youtu.be'],
      ...['www.youtube-nocookie.com', 'youtube-nocookie.com'],
    ],
    frameHosts: ['www.youtube-nocookie.com', 'www.youtube.com'],
    toFrame: toYoutubeFrame,
  },
  {
    hosts: ['vimeo.com', 'www.vimeo.com', 'player.vimeo.com'],
    frameHosts: ['player.vimeo.com'],
    toFrame: toVimeoFrame,
  },
  { hosts: ['codepen.io', 'www.codepen.io'], frameHosts: ['codepen.io'], toFrame: toCodepenFrame },
]

/**
 * Returns the possible frame URLs for a page, the most private first. Removes query parameters that
 * start a video automatically or track readers.
 */
export function findFrames(page: URL): URL[] {
  if (!/^https?:$/.test(page.protocol) || page.username !== '' || page.password !== '') return []
  // `page.host` includes a port that is not the default port. Such a page has no player.
  const player = players.find(({ hosts }) => hosts.includes(page.host))
  const frame = player?.toFrame(page) ?? null
  if (player === undefined || frame === null) return []
  return player.frameHosts.map((host) => new URL(`https://${host}${frame}`))
}

// https://developers.google.com/youtube/player_parameters
function toYoutubeFrame(page: URL): string | null {
  const { searchParams } = page
  const video = youtubeVideo(page)
  const list = read(searchParams, 'list', /^(?!(?:WL|LL)$)[\w-]{2,64}$/) // WL and LL are private playlists.
  if (video === null || (video === 'videoseries' && list === null)) return null
  const query = toQuery({
    start: seconds(searchParams.get('start') ?? searchParams.get('t') ?? ''),
    end: seconds(searchParams.get('end') ?? ''),
    list,
    cc_load_policy: read(searchParams, 'cc_load_policy', /^1$/),
    cc_lang_pref: read(searchParams, 'cc_lang_pref', /^[\w-]{2,12}$/),
  })
  return `/embed/${video}${query}`
}

function youtubeVideo({ host, pathname, searchParams }: URL): string | null {
  // The path of a frame (`/embed/…`) may contain any id. In other URLs, an id has 11 characters.
  const framed = /^\/embed\/([\w-]{1,64})$/.exec(pathname)?.[1]
  if (framed !== undefined) return framed
  if (pathname === '/playlist') return 'videoseries'
  const isWatch = pathname === '/watch' || pathname === '/watch/'
  const path = host === 'youtu.be' ? /^\/([^/]+)\/?$/ : /^\/(?:live|shorts|v)\/([^/]+)\/?$/
  const video = isWatch ? searchParams.get('v') : path.exec(pathname)?.[1]
  return video != null && /^[\w-]{11}$/.test(video) ? video : null
}

const vimeoPath =
  /^\/(?:video\/|channels\/[\w-]+\/|groups\/[\w-]+\/videos\/|(?:album|showcase)\/\d+\/video\/)?(\d{1,12})(?:\/([\da-f]{6,20}))?\/?$/

// https://help.vimeo.com/hc/en-us/articles/12426260232977-Player-parameters-overview
function toVimeoFrame({ pathname, searchParams, hash }: URL): string | null {
  const match = vimeoPath.exec(pathname)
  if (match === null) return null
  const query = toQuery({
    // The key that opens an unlisted video.
    h: match[2] ?? read(searchParams, 'h', /^[\da-f]{6,20}$/),
    texttrack: read(searchParams, 'texttrack', /^[\w.-]{2,32}$/),
    dnt: '1', // "do not track"
  })
  const start = seconds(/^#t=(.+)/.exec(hash)?.[1] ?? '')
  return `/video/${match[1]}${query}${start === null ? '' : `#t=${start}s`}`
}

const codepenPath = /^\/((?:team\/)?[\w-]+)\/(?:pen|full|details|embed)\/([\da-z]{5,40})\/?$/i

// https://blog.codepen.io/documentation/embedded-pens/
function toCodepenFrame({ pathname, searchParams }: URL): string | null {
  const match = codepenPath.exec(pathname)
  if (match === null) return null
  const query = toQuery({
    'default-tab': read(searchParams, 'default-tab', /^[a-z,]{2,32}$/) ?? 'result',
    'theme-id': read(searchParams, 'theme-id', /^[\w-]{1,32}$/),
    editable: read(searchParams, 'editable', /^true$/),
  })
  return `/${match[1]}/embed/${match[2]}${query}`
}

function read(query: URLSearchParams, name: string, pattern: RegExp): string | null {
  const value = query.get(name)
  return value !== null && pattern.test(value) ? value : null
}

// Converts a time such as `90`, `90s` or `1m30s` to seconds. For 0 or any other text, returns null.
function seconds(time: string): string | null {
  const match = /^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s?)?$/.exec(time)
  const [, hours = 0, minutes = 0, rest = 0] = match ?? []
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
  return total > 0 ? String(total) : null
}

function toQuery(values: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== null) query.append(name, value)
  return query.size === 0 ? '' : `?${query}`
}
