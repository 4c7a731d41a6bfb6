import { mount } from '@quillgate/http/express'
import { ELSEWHERE, frameworkAdapterSuite } from '@quillgate/http/testing'
import express from 'express'
import { describe } from 'vitest'
import { listen } from '../support/listen.ts'

describe('mount in Express', () =>
  frameworkAdapterSuite({
    features: { prefix: true, parsers: true, application: true },
    serve(handler, { prefix, parsers }) {
      const app = express()
      if (parsers) app.use(express.json(), express.urlencoded(), express.text())
      if (prefix === null) app.use(mount(handler))
      else app.use(prefix, mount(handler))
      app.use((_req, res) => void res.send(ELSEWHERE))
      return listen(app)
    },
  }))
