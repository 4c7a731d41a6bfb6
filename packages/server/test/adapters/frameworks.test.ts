import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { serve as serveHono } from '@hono/node-server'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { mount as mountExpress } from '@quillgate/server/express'
import { mount as mountFastify } from '@quillgate/server/fastify'
import { mount as mountH3 } from '@quillgate/server/h3'
import { mount as mountHono } from '@quillgate/server/hono'
import { mount as mountKoa } from '@quillgate/server/koa'
import { mount as mountNest } from '@quillgate/server/nestjs'
import {
  type AdapterServer,
  ELSEWHERE,
  type FrameworkAdapter,
  frameworkAdapterSuite,
} from '@quillgate/server/testing/suites'
import type express from 'express'
import fastify from 'fastify'
import { H3, toNodeHandler } from 'h3'
import { Hono } from 'hono'
import Koa, { type Middleware } from 'koa'
import { describe } from 'vitest'
import { listen } from '../http/support/listen.ts'
import { gateOf } from '../support/test-gate.ts'

// The package alias `express4` has no type declarations.
const express4 = createRequire(import.meta.url)('express4') as typeof express

describe('mount in Express 4', () => {
  frameworkAdapterSuite({
    features: { prefix: true, parsers: true, application: true },
    serve(handler, { prefix, parsers }) {
      const app = express4()
      if (parsers)
        app.use(express4.json(), express4.urlencoded({ extended: false }), express4.text())
      app.use(prefix ?? '/', mountExpress(gateOf(handler)))
      app.use((_req, res) => void res.send(ELSEWHERE))
      return listen(app)
    },
  })
})

describe('mount in Fastify', () => {
  frameworkAdapterSuite({
    features: { prefix: true, parsers: false, application: true },
    async serve(handler, { prefix }) {
      const app = fastify()
      await app.register(mountFastify(gateOf(handler)), prefix === null ? {} : { prefix })
      app.all('/*', () => ELSEWHERE)
      return listening(
        await app.listen({ port: 0, host: '127.0.0.1' }),
        () => app.close(),
        app.server,
      )
    },
  })
})

describe('mount in Koa', () => {
  frameworkAdapterSuite({
    features: { prefix: true, parsers: true, application: true },
    serve(handler, { prefix, parsers }) {
      const app = new Koa()
      app.silent = true
      if (parsers) app.use(koaParsers)
      const middleware = mountKoa(gateOf(handler))
      app.use(prefix === null ? middleware : underPrefix(prefix, middleware))
      app.use((ctx) => {
        ctx.body = ELSEWHERE
      })
      return listen(app.callback())
    },
  })
})

describe('mount in Hono', () => {
  frameworkAdapterSuite({
    features: { prefix: true, parsers: false, application: true },
    serve(handler, { prefix }) {
      const app = new Hono()
      app.use(prefix === null ? '*' : `${prefix}/*`, mountHono(gateOf(handler)))
      app.all('*', (c) => c.text(ELSEWHERE))
      return servedByHono(app)
    },
  })
})

describe('mount in h3', () => {
  frameworkAdapterSuite({
    features: { prefix: true, parsers: false, application: true },
    serve(handler, { prefix }) {
      const app = new H3({ silent: true })
      if (prefix === null) app.use(mountH3(gateOf(handler)))
      else app.use(`${prefix}/**`, mountH3(gateOf(handler)))
      app.use(() => ELSEWHERE)
      return listen(toNodeHandler(app) as Parameters<typeof listen>[0])
    },
  })
})

describe.each(['Express', 'Fastify'])('mount in NestJS on %s', (platform) => {
  frameworkAdapterSuite({
    features: { prefix: false, parsers: false, application: true },
    async serve(handler) {
      const options = { logger: false } as const
      const app =
        platform === 'Express'
          ? await NestFactory.create(ApplicationModule, options)
          : await NestFactory.create(ApplicationModule, new FastifyAdapter(), options)
      app.use(mountNest(gateOf(handler)))
      await app.listen(0, '127.0.0.1')
      return listening(await app.getUrl(), () => app.close(), app.getHttpServer())
    },
  })
})

class OtherController {
  other(): string {
    return ELSEWHERE
  }
}
Controller()(OtherController)
Get('other')(
  OtherController.prototype,
  'other',
  Object.getOwnPropertyDescriptor(OtherController.prototype, 'other') as PropertyDescriptor,
)

class ApplicationModule {}
Module({ controllers: [OtherController] })(ApplicationModule)

function listening(
  url: string,
  end: () => PromiseLike<unknown>,
  server: { closeAllConnections(): void },
): AdapterServer {
  return {
    origin: new URL(url).origin,
    async close() {
      const ended = end()
      server.closeAllConnections()
      await ended
    },
  }
}

function servedByHono(app: Hono): ReturnType<FrameworkAdapter['serve']> {
  const { promise, resolve } = Promise.withResolvers<AdapterServer>()
  const server = serveHono(
    {
      fetch: app.fetch,
      port: 0,
      hostname: '127.0.0.1',
      overrideGlobalObjects: false,
      autoCleanupIncoming: false,
    },
    ({ port }) =>
      resolve(
        listening(
          `http://127.0.0.1:${port}`,
          () => new Promise((closed) => server.close(closed)),
          server as unknown as { closeAllConnections(): void },
        ),
      ),
  )
  return promise
}

/** Parses bodies like `koa-bodyparser`. */
const koaParsers: Middleware = async (ctx, next) => {
  const parse = { 'application/json': JSON.parse, 'text/plain': String }[ctx.request.type]
  const isForm = ctx.request.type === 'application/x-www-form-urlencoded'
  if (parse || isForm) {
    const text = await textOf(ctx.req)
    Object.assign(ctx.request, { body: parse ? parse(text) : formOf(new URLSearchParams(text)) })
  }
  return next()
}

function formOf(form: URLSearchParams): Record<string, string | string[]> {
  const entries = [...new Set(form.keys())].map((name) => {
    const values = form.getAll(name)
    return [name, values.length > 1 ? values : String(values[0])] as const
  })
  return Object.fromEntries(entries)
}

async function textOf(req: IncomingMessage): Promise<string> {
  return (await req.setEncoding('utf8').toArray()).join('')
}

/** Calls the middleware with the path without the prefix, like `koa-mount`. */
function underPrefix(prefix: string, middleware: ReturnType<typeof mountKoa>): Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith(`${prefix}/`)) return next()
    const { path } = ctx
    ctx.path = path.slice(prefix.length)
    await middleware(ctx, async () => {
      ctx.path = path
      await next()
    })
  }
}
