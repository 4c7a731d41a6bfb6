import { filePart, form, type HostileCase, join, latin1, withBody } from '../hostile-case.ts'

/** A file name as sent, the name in the response, and the storage key after its id. */
type Row = readonly [sent: string | Uint8Array, name: string, key: string]

const paths: readonly Row[] = [
  ['../../../etc/passwd', 'passwd', 'passwd.txt'],
  ['/etc/passwd', 'passwd', 'passwd.txt'],
  ['C:\\\\Users\\\\ada\\\\a.txt', 'a.txt', 'a.txt'],
  ['C:\\Users\\ada\\a.txt', 'a.txt', 'a.txt'],
  ['C:a.txt', 'C:a.txt', 'C_a.txt'],
  ['\\\\\\\\server\\\\share\\\\a.txt', 'a.txt', 'a.txt'],
  ['..\\\\..\\\\a.txt', 'a.txt', 'a.txt'],
  ['..%2f..%2fa.txt', '..%2f..%2fa.txt', '2f_2fa.txt'],
  ['..%5c..%5ca.txt', '..%5c..%5ca.txt', '5c_5ca.txt'],
  ['%2e%2e/%2e%2e/a.txt', 'a.txt', 'a.txt'],
  ['..%252f..%252fa.txt', '..%252f..%252fa.txt', '252f_252fa.txt'],
  ['..%c0%afa.txt', '..%c0%afa.txt', 'c0_afa.txt'],
  ['..\u2215a.txt', '..\u2215a.txt', 'a.txt'],
  ['..\uff0f..\uff0fa.txt', '..\uff0f..\uff0fa.txt', 'a.txt'],
  ['..\uff3ca.txt', '..\uff3ca.txt', 'a.txt'],
  ['\u2024\u2024/a.txt', 'a.txt', 'a.txt'],
  ['....//....//a.txt', 'a.txt', 'a.txt'],
  ['a/../b.txt', 'b.txt', 'b.txt'],
  ['file:///etc/passwd', 'passwd', 'passwd.txt'],
  ['http://evil.example/a.txt', 'a.txt', 'a.txt'],
  ['a.txt?x=/b', 'b', 'b.txt'],
  ['a.txt#b', 'a.txt#b', 'a_txt_b.txt'],
  ['a.txt?b', 'a.txt?b', 'a_txt_b.txt'],
  ['~/a.txt', 'a.txt', 'a.txt'],
  ['~root', '~root', 'root.txt'],
  ['$HOME.txt', '$HOME.txt', 'HOME.txt'],
  ['`id`.txt', '`id`.txt', 'id.txt'],
  ['$(id).txt', '$(id).txt', 'id.txt'],
  ['a|b.txt', 'a|b.txt', 'a_b.txt'],
  ['a&&b;c.txt', 'a&&b;c.txt', 'a_b_c.txt'],
  ['-rf.txt', '-rf.txt', 'rf.txt'],
  ['--help', '--help', 'help.txt'],
  ['*.txt', '*.txt', 'file.txt'],
  ["' OR 1=1 --.txt", "' OR 1=1 --.txt", 'OR_1_1.txt'],
  ['{{7*7}}.txt', '{{7*7}}.txt', '7_7.txt'],
  ['%s%n%x.txt', '%s%n%x.txt', 's_n_x.txt'],
  [
    '<img src=x onerror=alert(1)>.txt',
    '<img src=x onerror=alert(1)>.txt',
    'img_src_x_onerror_alert_1.txt',
  ],
  ['%22onload=%22alert(1).txt', '"onload="alert(1).txt', 'onload_alert_1.txt'],
  ['](javascript:alert(1)).txt', '](javascript:alert(1)).txt', 'javascript_alert_1.txt'],
  ['a%0d%0aset-cookie: b=c.txt', 'a  set-cookie: b=c.txt', 'a_set-cookie_b_c.txt'],
  ['a%0Ab.txt', 'a b.txt', 'a_b.txt'],
  ['a%00.txt', 'a%00.txt', 'a_00.txt'],
]

const extensions: readonly Row[] = [
  ['evil.php.txt', 'evil.php.txt', 'evil_php.txt'],
  ['evil.txt.php', 'evil.txt.php', 'evil_txt_php.txt'],
  ['evil.html', 'evil.html', 'evil_html.txt'],
  ['evil.svg', 'evil.svg', 'evil_svg.txt'],
  ['evil.php', 'evil.php', 'evil_php.txt'],
  ['evil.PhP5', 'evil.PhP5', 'evil_PhP5.txt'],
  ['evil.asp;.txt', 'evil.asp;.txt', 'evil_asp.txt'],
  ['evil.asp:.txt', 'evil.asp:.txt', 'evil_asp.txt'],
  ['evil.php::$DATA', 'evil.php::$DATA', 'evil_php_DATA.txt'],
  ['evil.php.', 'evil.php.', 'evil_php.txt'],
  ['evil.php....', 'evil.php....', 'evil_php.txt'],
  ['evil.php%20', 'evil.php%20', 'evil_php_20.txt'],
  ['evil.php ', 'evil.php', 'evil_php.txt'],
  ['evil.txt ', 'evil.txt', 'evil.txt'],
  ['evil.TXT', 'evil.TXT', 'evil.txt'],
  ['evil.text', 'evil.text', 'evil.txt'],
  ['evil.tar.gz', 'evil.tar.gz', 'evil_tar_gz.txt'],
  ['evil', 'evil', 'evil.txt'],
  ['txt', 'txt', 'txt.txt'],
  ['.txt', '.txt', 'txt.txt'],
  ['.htaccess', '.htaccess', 'htaccess.txt'],
  ['.env', '.env', 'env.txt'],
  ['.git', '.git', 'git.txt'],
  ['web.config', 'web.config', 'web_config.txt'],
  ['..txt', '..txt', 'file.txt'],
  ['a..txt', 'a..txt', 'a.txt'],
  ['...', 'file', 'file.txt'],
  [' ', 'file', 'file.txt'],
  ['\t', 'file', 'file.txt'],
  ['_', '_', 'file.txt'],
  ['-', '-', 'file.txt'],
  ['a__b--c.txt', 'a__b--c.txt', 'a_b--c.txt'],
  ['quillgate-installation.txt', 'quillgate-installation.txt', 'quillgate-installation.txt'],
  [
    'm0123456789abcdefghjkmnpqrs-a.txt',
    'm0123456789abcdefghjkmnpqrs-a.txt',
    'm0123456789abcdefghjkmnpqrs-a.txt',
  ],
  ...['CON', 'PRN', 'AUX', 'NUL', 'COM1', 'LPT9', 'con.txt', 'CONIN$', 'CLOCK$'].map(
    (name): Row => {
      return [name, name, `${name.replace(/\.txt$/, '').replace('$', '')}.txt`]
    },
  ),
  ...[
    '__proto__',
    'constructor',
    'toString',
    'null',
    'undefined',
    'true',
    '0',
    'NaN',
    'Infinity',
  ].map((name): Row => {
    return [name, name, `${name.replaceAll(/^_+|_+$/g, '')}.txt`]
  }),
]

const controls: readonly Row[] = [
  ...['\x01', '\x08', '\x0b', '\x0c', '\x1b', '\x1f', '\x7f', '\x80', '\x85', '\x9f'].map(
    (control): Row => {
      return [`a${control}b.txt`, 'ab.txt', 'ab.txt']
    },
  ),
  // Bidirectional controls and invisible characters are removed, because they can disguise a name.
  ...[
    '\u200e',
    '\u200f',
    '\u061c',
    '\u202a',
    '\u202b',
    '\u202c',
    '\u202d',
    '\u202e',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
  ].map((bidi): Row => {
    return [`a${bidi}gpj.txt`, 'agpj.txt', 'agpj.txt']
  }),
  ...[
    '\u200b',
    '\u2060',
    '\u2063',
    '\ufeff',
    '\ufff9',
    '\ufffb',
    '\u2028',
    '\u2029',
    '\u{e0041}',
    '\u{e007f}',
  ].map((invisible): Row => {
    return [`a${invisible}b.txt`, 'ab.txt', 'ab.txt']
  }),
  // Joiners within a name are kept for scripts and emoji. Invisible characters alone are no name.
  [
    '\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt',
    '\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt',
    '\u0646\u0645\u06cc_\u062e\u0648\u0627\u0647\u0645.txt',
  ],
  ['👩\u200d💻.txt', '👩\u200d💻.txt', 'file.txt'],
  ['\u200d\u200c\u00ad', 'file', 'file.txt'],
  ['\u3164', 'file', 'file.txt'],
  ['\u2800', 'file', 'file.txt'],
  ['\u00a0\u2003\u3000', 'file', 'file.txt'],
]

const normalization: readonly Row[] = [
  ['u\u0308.txt', '\u00fc.txt', '\u00fc.txt'],
  ['A\u030a.txt', '\u00c5.txt', '\u00c5.txt'],
  ['\u212b.txt', '\u00c5.txt', '\u00c5.txt'],
  ['\u1112\u1161\u11ab.txt', '\ud55c.txt', '\ud55c.txt'],
  ['\u0915\u093c.txt', '\u0915\u093c.txt', '\u0915\u093c.txt'],
  ['e\u0323\u0302.txt', '\u1ec7.txt', '\u1ec7.txt'],
  ['e\u0302\u0323.txt', '\u1ec7.txt', '\u1ec7.txt'],
  // A removed character separated a letter from its combining mark. Now the two must compose.
  ['u\u200b\u0308.txt', '\u00fc.txt', '\u00fc.txt'],
  ['e\u0301\u202e\u0323.txt', '\u1eb9\u0301.txt', '\u1eb9\u0301.txt'],
  ['\u1112\ufeff\u1161.txt', '\ud558.txt', '\ud558.txt'],
  ['\u0301.txt', '\u0301.txt', '\u0301.txt'],
  [
    `a${'\u0301'.repeat(50)}.txt`,
    `\u00e1${'\u0301'.repeat(49)}.txt`,
    `\u00e1${'\u0301'.repeat(49)}.txt`,
  ],
  ['\uff21\uff22.txt', '\uff21\uff22.txt', '\uff21\uff22.txt'],
  ['\ufb01.txt', '\ufb01.txt', '\ufb01.txt'],
]

const scripts: readonly Row[] = [
  'Grüße',
  'Ærøskøbing',
  'Žluťoučký',
  'Łódź',
  'İstanbul',
  'Ελλάδα',
  'Москва',
  'Հայաստան',
  'ישראל',
  'العربية',
  'فارسی',
  'اردو',
  'ܣܘܪܝܝܐ',
  'ދިވެހި',
  'हिन्दी',
  'বাংলা',
  'ਪੰਜਾਬੀ',
  'ગુજરાતી',
  'ଓଡ଼ିଆ',
  'தமிழ்',
  'తెలుగు',
  'ಕನ್ನಡ',
  'മലയാളം',
  'සිංහල',
  'ไทย',
  'ລາວ',
  'བོད་ཡིག',
  'မြန်မာ',
  'ქართული',
  '한국어',
  'አማርኛ',
  'ᏣᎳᎩ',
  'ᐃᓄᒃᑎᑐᑦ',
  'ខ្មែរ',
  'ᠮᠣᠩᠭᠣᠯ',
  '日本語',
  'ひらがな',
  'カタカナ',
  '中文',
  '漢字',
  '𠀀𠮷',
  'Tiếng_Việt',
  'ʻŌlelo',
  '٠١٢٣',
  '𝔘𝔫𝔦',
].map((name): Row => {
  const composed = name.normalize('NFC')
  return [
    `${name}.txt`,
    `${composed}.txt`,
    `${composed.replaceAll(/[^\p{L}\p{M}\p{N}_]/gu, '_')}.txt`,
  ]
})

const emoji: readonly Row[] = ['🎉', '🇩🇪', '1️⃣', '👍🏽', '❤️', '🏴‍☠️'].map((name): Row => {
  const kept = name.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_').replaceAll(/^_+|_+$/g, '')
  return [`${name}.txt`, `${name}.txt`, `${kept || 'file'}.txt`]
})

const bytes: readonly Row[] = [
  [latin1('\xfc.txt'), '\ufffd.txt', 'file.txt'],
  [latin1('a\xffb.txt'), 'a\ufffdb.txt', 'a_b.txt'],
  [latin1('a\xc0\xafb.txt'), 'a\ufffd\ufffdb.txt', 'a_b.txt'],
  [latin1('a\xe0\x80\xafb.txt'), 'a\ufffd\ufffd\ufffdb.txt', 'a_b.txt'],
  [latin1('a\xed\xa0\x80b.txt'), 'a\ufffd\ufffd\ufffdb.txt', 'a_b.txt'],
  [
    latin1('a\xed\xbf\xbf\xed\xa0\x80b.txt'),
    'a\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdb.txt',
    'a_b.txt',
  ],
  [latin1('a\xf4\x90\x80\x80b.txt'), 'a\ufffd\ufffd\ufffd\ufffdb.txt', 'a_b.txt'],
  [latin1('a\xf0\x9f\x98.txt'), 'a\ufffd.txt', 'a.txt'],
  [latin1('\xff\xfea\0.\0t\0'), '\ufffd\ufffda.t', 'a_t.txt'],
  [latin1('\xef\xbb\xbfa.txt'), 'a.txt', 'a.txt'],
]

const lengths: readonly Row[] = [
  ['a'.repeat(96), 'a'.repeat(96), `${'a'.repeat(96)}.txt`],
  ['a'.repeat(97), 'a'.repeat(97), `${'a'.repeat(96)}.txt`],
  ['a'.repeat(255), 'a'.repeat(255), `${'a'.repeat(96)}.txt`],
  ['a'.repeat(256), 'a'.repeat(255), `${'a'.repeat(96)}.txt`],
  [`${'a'.repeat(10_000)}.txt`, 'a'.repeat(255), `${'a'.repeat(96)}.txt`],
  [`a.${'b'.repeat(10_000)}`, `a.${'b'.repeat(253)}`, `a_${'b'.repeat(94)}.txt`],
  ['ü'.repeat(300), 'ü'.repeat(255), `${'ü'.repeat(96)}.txt`],
  ['日'.repeat(300), '日'.repeat(255), `${'日'.repeat(65)}.txt`],
  ['𠮷'.repeat(300), '𠮷'.repeat(127), `${'𠮷'.repeat(48)}.txt`],
  [`${'𠮷'.repeat(127)}x𠮷`, `${'𠮷'.repeat(127)}x`, `${'𠮷'.repeat(48)}.txt`],
  ['.'.repeat(10_000), 'file', 'file.txt'],
  [`${'../'.repeat(3000)}a.txt`, 'a.txt', 'a.txt'],
  ['_'.repeat(300), '_'.repeat(255), 'file.txt'],
]

const rows = { paths, extensions, controls, normalization, scripts, emoji, bytes, lengths }

/** Cases about file names, which may only affect the returned name and the end of the key. */
export const fileNames: readonly HostileCase[] = Object.entries(rows).flatMap(([kind, list]) =>
  list.map(([sent, name, key]) => {
    const title =
      typeof sent === 'string'
        ? JSON.stringify(sent).slice(0, 60)
        : Buffer.from(sent).toString('hex')
    return withBody(
      `a file name (${kind}): ${title}`,
      form(filePart('hello', join('"', sent, '"'))),
      {
        status: 201,
        name,
        key,
      },
    )
  }),
)
