// Updates apps/docs/markdown-syntax.md: node tests/docs/markdown-syntax/write.ts
import { writeFileSync } from 'node:fs'
import { pagePath, writePage } from './page.ts'

writeFileSync(pagePath, writePage())
