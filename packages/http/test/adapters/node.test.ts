import { toNodeListener } from '@quillgate/http/node'
import { frameworkAdapterSuite } from '@quillgate/http/testing'
import { describe } from 'vitest'
import { listen } from '../support/listen.ts'

describe('toNodeListener', () =>
  frameworkAdapterSuite({
    features: { prefix: false, parsers: false, application: false },
    serve: (handler) => listen(toNodeListener(handler)),
  }))
