export type Sample = readonly [
  expected: readonly [
    name: string,
    browser: string | null,
    os: string | null,
    deviceType: string | null,
  ],
  userAgent: string,
]

const WIN = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const MAC_BLINK = `${MAC} AppleWebKit/537.36 (KHTML, like Gecko)`
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)'
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const IPAD =
  'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

export const SAMPLES: readonly Sample[] = [
  // Chromium on computers.
  [
    ['Chrome on Windows', 'Chrome 142', 'Windows', 'desktop'],
    `${WIN} Chrome/142.0.0.0 Safari/537.36`,
  ],
  [
    ['Microsoft Edge on Windows', 'Microsoft Edge 142', 'Windows', 'desktop'],
    `${WIN} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
  ],
  [
    ['Opera on Windows', 'Opera 124', 'Windows', 'desktop'],
    `${WIN} Chrome/142.0.0.0 Safari/537.36 OPR/124.0.0.0`,
  ],
  [
    ['Vivaldi on Windows', 'Vivaldi 7', 'Windows', 'desktop'],
    `${WIN} Chrome/142.0.0.0 Safari/537.36 Vivaldi/7.7.3851.48`,
  ],
  [
    ['Chrome on macOS', 'Chrome 142', 'macOS', 'desktop'],
    `${MAC_BLINK} Chrome/142.0.0.0 Safari/537.36`,
  ],
  [
    ['Chrome on Linux', 'Chrome 142', 'Linux', 'desktop'],
    `${LINUX} Chrome/142.0.0.0 Safari/537.36`,
  ],
  // Chromium on phones and tablets.
  [
    ['Chrome on Android', 'Chrome 142', 'Android', 'mobile'],
    `${ANDROID} Chrome/142.0.0.0 Mobile Safari/537.36`,
  ],
  [
    ['Chrome on Android', 'Chrome 142', 'Android', 'tablet'],
    `${ANDROID} Chrome/142.0.0.0 Safari/537.36`,
  ],
  [
    ['Chrome on Android', 'Chrome 142', 'Android', 'mobile'],
    'Mozilla/5.0 (Linux; Android 14; SM-A546B Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.0.0 Mobile Safari/537.36 Instagram 405.0.0.0.1 Android',
  ],
  // Gecko.
  [
    ['Firefox on Windows', 'Firefox 145', 'Windows', 'desktop'],
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  ],
  [
    ['Firefox on macOS', 'Firefox 145', 'macOS', 'desktop'],
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
  ],
  [
    ['Firefox on Linux', 'Firefox 145', 'Linux', 'desktop'],
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  ],
  [
    ['Firefox on Linux', 'Firefox 145', 'Linux', 'desktop'],
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  ],
  [
    ['Firefox on Windows', 'Firefox 140', 'Windows', 'desktop'],
    'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
  ],
  [
    ['Firefox on Android', 'Firefox 145', 'Android', 'mobile'],
    'Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0',
  ],
  [
    ['Firefox on Android', 'Firefox 145', 'Android', 'tablet'],
    'Mozilla/5.0 (Android 15; Tablet; rv:145.0) Gecko/145.0 Firefox/145.0',
  ],
  [
    ['Firefox on iOS', 'Firefox 145', 'iOS', 'mobile'],
    `${IPHONE} FxiOS/145.0 Mobile/15E148 Safari/605.1.15`,
  ],
  // WebKit. An iPad requests desktop sites, so its header also says Macintosh.
  [
    ['Safari on macOS', 'Safari 26', 'macOS', 'desktop'],
    `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15`,
  ],
  [
    ['Safari on macOS', 'Safari 18', 'macOS', 'desktop'],
    `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15`,
  ],
  [
    ['Safari on iOS', 'Safari 26', 'iOS', 'mobile'],
    `${IPHONE} Version/26.1 Mobile/15E148 Safari/604.1`,
  ],
  [
    ['Safari on iOS', 'Safari 18', 'iOS', 'tablet'],
    `${IPAD} Version/18.6 Mobile/15E148 Safari/604.1`,
  ],
  [
    ['Chrome on iOS', 'Chrome 142', 'iOS', 'mobile'],
    `${IPHONE} CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1`,
  ],
  [
    ['Microsoft Edge on iOS', 'Microsoft Edge 142', 'iOS', 'mobile'],
    `${IPHONE} EdgiOS/142.0.3595.53 Version/18.0 Mobile/15E148 Safari/604.1`,
  ],
  [
    ['Google Search on iOS', 'Google Search 395', 'iOS', 'mobile'],
    `${IPHONE} GSA/395.0.826 Mobile/15E148 Safari/604.1`,
  ],
  [
    ['Safari on iOS', 'Safari', 'iOS', 'mobile'],
    `${IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/535.0.0.0;FBBV/1;FBDV/iPhone17,1]`,
  ],
  [
    ['Safari on Linux', 'Safari 18', 'Linux', 'desktop'],
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  ],
  // Televisions and consoles.
  [
    ['Tizen on Tizen', 'Tizen 8', 'Tizen', 'tv'],
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/8.0 TV Safari/537.36',
  ],
  [
    ['WebOS Browser on WebOS', 'WebOS Browser', 'WebOS', 'tv'],
    'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 WebAppManager',
  ],
  [
    ['Safari', 'Safari 16', null, null],
    'Mozilla/5.0 (PlayStation 5 9.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.0 Safari/605.1.15',
  ],
  // Applications and tools.
  [['curl', 'curl 8', null, null], 'curl/8.5.0'],
  [['Wget', 'Wget 1', null, null], 'Wget/1.21.4'],
  [['python-requests', 'python-requests 2', null, null], 'python-requests/2.32.5'],
  [['python-httpx', 'python-httpx 0', null, null], 'python-httpx/0.28.1'],
  [['node', 'node', null, null], 'node'],
  [['undici', 'undici', null, null], 'undici'],
  [['axios', 'axios 1', null, null], 'axios/1.13.2'],
  [['Go-http-client', 'Go-http-client 2', null, null], 'Go-http-client/2.0'],
  [['okhttp', 'okhttp 5', null, null], 'okhttp/5.3.0'],
  [['Dart', 'Dart 3', null, null], 'Dart/3.9 (dart:io)'],
  [['PostmanRuntime', 'PostmanRuntime 7', null, null], 'PostmanRuntime/7.49.1'],
  [['insomnia', 'insomnia 11', null, null], 'insomnia/11.6.0'],
  [['HTTPie', 'HTTPie 3', null, null], 'HTTPie/3.2.4'],
  [['my-bank', 'my-bank 42', null, null], 'my-bank/42.1 CFNetwork/3860.200.71 Darwin/25.1.0'],
  [
    ['Shop', 'Shop 7', null, null],
    'Shop/7.3 (com.example.shop; build:812; iOS 18.7.0) Alamofire/5.10.2',
  ],
  [
    ['Electron on macOS', 'Electron 38', 'macOS', 'desktop'],
    `${MAC_BLINK} Slack/4.46.101 Chrome/140.0.0.0 Electron/38.1.2 Safari/537.36`,
  ],
  // Robots.
  [
    ['Googlebot', 'Googlebot 2', null, 'bot'],
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  ],
  [
    ['BingCrawler', 'BingCrawler 2', null, 'bot'],
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  ],
  [
    ['GPTBot', 'GPTBot 1', null, 'bot'],
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)',
  ],
  [
    ['ClaudeBot', 'ClaudeBot 1', null, 'bot'],
    'Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
  ],
  [
    ['FacebookExternalHit', 'FacebookExternalHit', null, 'bot'],
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  ],
]
