import type { DefaultHighlightLanguage } from '../../src/highlighting/highlight-languages.ts'

export const SAMPLES: Readonly<Record<DefaultHighlightLanguage, string>> = {
  bash: '#!/bin/sh\n# greets\nfor name in "$@"; do\n  if [ -n "${name:-}" ]; then echo "Hello, $(whoami)"; fi\ndone\n',
  c: '#include <stdio.h>\nstatic inline const char *greet(int n) {\n  return n > 0x1F ? "a\\n" : NULL; /* no */\n}\n',
  cpp: 'template <typename T>\nstd::vector<T> Harbour<T>::boats(const std::string& s) const {\n  return R"(raw)"; // x\n}\n',
  csharp:
    '[Test]\npublic async Task<IList<Boat>> LoadAsync<T>(string name = @"C:\\") {\n  return $"{name}" ?? 1.5m;\n}\n',
  css: '@media (width < 40rem) {\n  #a > .b:hover::before { color: #fff; content: "x" !important; margin: calc(1px + 2%) }\n}\n',
  diff: '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n',
  go: 'package main\n\nfunc (b *Boat) Sail(n int) (string, error) {\n\treturn `raw`, fmt.Errorf("%d", 0b11)\n}\n',
  graphql: 'query Boats($n: Int = 3) @cached {\n  boats(first: $n) { ...name # all\n  }\n}\n',
  java: '@Override\npublic final Map<String, List<Boat>> boats(int n) throws IOException {\n  return new Boat<>("x", \'c\', 1_000L);\n}\n',
  javascript:
    'import { a } from "./a.js"\nclass A extends B { #x = 1n }\nconst f = async (a, b) => /x[/]y/g.test(`${a + 1}`)\n' +
    'const page = html`<p class="x">${f}</p>`; const style = css`a { color: red }`; const q = gql`query { a }`\n' +
    'const view = <Boat name="x">{f}</Boat>\n',
  json: '{ "name": "x\\n", "list": [1, -2.5e3, true, null], "in": { "a": {} } }\n',
  kotlin:
    'data class Boat<T>(val name: String = "a${b}") : Base() {\n  override suspend fun sail(n: Int): Unit? = null // x\n}\n',
  markdown:
    '# Title\n\n- *a* **b** `c` [d](https://e.example "f")\n\n> <b class="x">g</b>\n\n```js\nh\n```\n',
  php: '<?php\nfinal class A extends B implements C {\n  public function f(?int $n = 1): string { return "a {$n}" . <<<X\nb\nX; }\n}\n?><p>x</p>\n',
  python:
    '@cache\nasync def f(x: int, *args) -> str:\n    """Doc"""\n    return f"{x!r:>10}" + r\'raw\' + str(1_0.5e3)  # c\n',
  ruby: 'class Boat < Base\n  attr_reader :name\n  def sail!(n = 1, *rest)\n    puts "a #{@name}" unless n =~ /x/ # c\n  end\nend\n',
  rust: '#[derive(Debug)]\npub fn sail<\'a, T: Boat>(b: &\'a T) -> Result<u8, Box<dyn Error>> {\n    println!("{}", r#"raw"#); Ok(0xff_u8) // c\n}\n',
  sql: "SELECT count(*) AS n FROM boats b LEFT JOIN ports p ON p.id = b.port WHERE name LIKE 'a%' AND n > 1.5 -- c\n",
  swift:
    '@MainActor\npublic func sail<T: Boat>(_ boat: T, at n: Int = 1) async throws -> String? {\n  "a \\(n)" // c\n}\n',
  typescript:
    'export interface Boat<T extends string = "a"> { readonly name?: T | null }\n' +
    'abstract class A { private constructor(protected x: number) {} @log async f<T>(a: T): Promise<void> {} }\n',
  xml: '<!DOCTYPE html>\n<!-- c -->\n<a href="x" b=\'y\' c>1 &amp; 2</a><style>a { b: c }</style><script>let d = 1</script>\n',
  yaml: '# c\nname: &a "x"\nlist:\n  - !!str 1\n  - *a\ntext: |\n  b\nat: 2026-01-02\n',
}
