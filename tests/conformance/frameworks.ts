import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { serve as serveHono } from '@hono/node-server'
import { All, Controller, Module, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { mount as mountExpress } from '@quillgate/server/express'
import { mount as mountFastify } from '@quillgate/server/fastify'
import { mount as mountH3 } from '@quillgate/server/h3'
import { mount as mountHono } from '@quillgate/server/hono'
import { mount as mountKoa } from '@quillgate/server/koa'
import { mount as mountNest } from '@quillgate/server/nestjs'
import { mount as mountNext } from '@quillgate/server/next'
import { mount as mountNode } from '@quillgate/server/node'
import express from 'express'
import fastify from 'fastify'
import { H3, toNodeHandler } from 'h3'
import { Hono } from 'hono'
import Koa from 'koa'
import { NextRequest, NextResponse } from 'next/server.js'
import { type Application, type Call, OWN_COOKIE } from './application.ts'

/** A server that listens on this machine. */
export interface Listening {
  readonly origin: string
  close(): Promise<void>
}

/** The options of a server under test. */
export interface ServeOptions {
  /** True to trust one proxy on this machine. Uses the setting of the framework, if it has one. */
  readonly proxy: boolean
}

/** A framework under test. */
export interface Framework {
  readonly name: string
  /** True if the framework has a setting for trusted proxies. Others use `trustedProxies`. */
  readonly hasTrustSetting: boolean
  /** For frameworks without a setting: `trustedProxies` that contains the proxy on this machine. */
  readonly trustedProxies?: readonly string[]
  /** True if the framework provides the address of the socket. */
  readonly hasAddress: boolean
  serve(application: Application, options: ServeOptions): Promise<Listening>
}

// The package alias `express4` has no type declarations.
const express4 = createRequire(import.meta.url)('express4') as typeof express

const node: Framework = {
  name: 'Node',
  hasTrustSetting: false,
  hasAddress: true,
  serve({ gate, answer }) {
    const handle = mountNode(gate)
    return listen((req, res) =>
      handle(req, res, async () => {
        const { status, body, cacheControl } = await answer({
          ...callOf(req),
          readBody: async () => JSON.parse(await textOf(req)),
        })
        res.setHeader('set-cookie', OWN_COOKIE)
        if (cacheControl !== null) res.setHeader('cache-control', cacheControl)
        res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      }),
    )
  },
}

function expressFramework(version: 4 | 5): Framework {
  const create = version === 4 ? express4 : express
  return {
    name: `Express ${version}`,
    hasTrustSetting: true,
    hasAddress: true,
    serve({ gate, answer }, { proxy }) {
      const app = create()
      if (proxy) app.set('trust proxy', 'loopback')
      app.use(create.json()) // It runs first, so the adapter must restore the body.
      app.use(mountExpress(gate))
      app.use(async (req, res) => {
        const call = { ...callOf(req), request: req, readBody: async () => req.body }
        const { status, body, cacheControl } = await answer(call)
        res.cookie('own', '1')
        if (cacheControl !== null) res.set('cache-control', cacheControl)
        res.status(status).json(body)
      })
      return listen(app)
    },
  }
}

const fastifyFramework: Framework = {
  name: 'Fastify',
  hasTrustSetting: true,
  hasAddress: true,
  async serve({ gate, answer }, { proxy }) {
    const app = fastify({ trustProxy: proxy ? 'loopback' : false })
    await app.register(mountFastify(gate))
    // Leaves the body to `readForm`.
    app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null))
    app.all('/*', async (request, reply) => {
      const call = { ...callOf(request.raw), request, readBody: async () => request.body }
      const { status, body, cacheControl } = await answer(call)
      reply.header('set-cookie', OWN_COOKIE)
      if (cacheControl !== null) reply.header('cache-control', cacheControl)
      return reply.code(status).send(body)
    })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, close: () => closeAll(app.server, () => app.close()) }
  },
}

const koa: Framework = {
  name: 'Koa',
  hasTrustSetting: true,
  hasAddress: true,
  serve({ gate, answer }, { proxy }) {
    const app = new Koa({ proxy })
    app.silent = true
    app.use(async (ctx, next) => {
      // Parses the body before the adapter, like koa-bodyparser. The adapter must restore the body.
      if (ctx.request.type === 'application/json')
        Object.assign(ctx.request, { body: JSON.parse(await textOf(ctx.req)) })
      return next()
    })
    app.use(mountKoa(gate))
    app.use(async (ctx) => {
      const readBody = async () => (ctx.request as { body?: unknown }).body
      const { status, body, cacheControl } = await answer({
        ...callOf(ctx.req),
        request: ctx,
        readBody,
      })
      ctx.cookies.set('own', '1')
      if (cacheControl !== null) ctx.set('cache-control', cacheControl)
      ctx.status = status
      ctx.body = body
    })
    return listen(app.callback())
  },
}

const hono: Framework = {
  name: 'Hono',
  hasTrustSetting: false,
  hasAddress: true,
  async serve({ gate, answer }) {
    const app = new Hono()
    app.use(mountHono(gate))
    app.all('*', async (c) => {
      const call = { ...webCall(c.req.raw), request: c, readBody: () => c.req.json() }
      const { status, body, cacheControl } = await answer(call)
      c.header('set-cookie', OWN_COOKIE, { append: true })
      if (cacheControl !== null) c.header('cache-control', cacheControl)
      return c.json(body, status as 200)
    })
    const { promise, resolve } = Promise.withResolvers<Listening>()
    const options = { fetch: app.fetch, port: 0, hostname: '127.0.0.1', autoCleanupIncoming: false }
    const server = serveHono({ ...options, overrideGlobalObjects: false }, ({ port }) => {
      const close = () =>
        closeAll(server, () => new Promise<void>((end) => server.close(() => end())))
      resolve({ origin: `http://127.0.0.1:${port}`, close })
    })
    return promise
  },
}

const h3: Framework = {
  name: 'h3',
  hasTrustSetting: false,
  hasAddress: true,
  serve({ gate, answer }) {
    const app = new H3({ silent: true })
    app.use(mountH3(gate))
    app.use(async (event) => {
      const call = { ...webCall(event.req), request: event, readBody: () => event.req.json() }
      const { status, body, cacheControl } = await answer(call)
      event.res.headers.append('set-cookie', OWN_COOKIE)
      if (cacheControl !== null) event.res.headers.set('cache-control', cacheControl)
      event.res.status = status
      return body
    })
    return listen(toNodeHandler(app) as RequestListener)
  },
}

const nest: Framework = {
  name: 'NestJS',
  hasTrustSetting: true,
  hasAddress: true,
  async serve({ gate, answer }, { proxy }) {
    const options = { logger: false } as const
    const app = await NestFactory.create<NestExpressApplication>(moduleOf(answer), options)
    if (proxy) app.set('trust proxy', 'loopback')
    app.use(mountNest(gate))
    await app.listen(0, '127.0.0.1')
    const close = () => closeAll(app.getHttpServer(), () => app.close())
    return { origin: new URL(await app.getUrl()).origin, close }
  },
}

/** Creates a module whose only controller is the application. Decorators are called as functions. */
function moduleOf(answer: Application['answer']): new () => object {
  class ApplicationController {
    async all(req: express.Request, res: express.Response): Promise<void> {
      const call = { ...callOf(req), request: req, readBody: async () => req.body }
      const { status, body, cacheControl } = await answer(call)
      res.cookie('own', '1')
      if (cacheControl !== null) res.set('cache-control', cacheControl)
      res.status(status).json(body)
    }
  }
  const { prototype } = ApplicationController
  Controller()(ApplicationController)
  Req()(prototype, 'all', 0)
  Res()(prototype, 'all', 1)
  const method = Object.getOwnPropertyDescriptor(prototype, 'all') as PropertyDescriptor
  All('{*path}')(prototype, 'all', method)
  class ApplicationModule {}
  Module({ controllers: [ApplicationController] })(ApplicationModule)
  return ApplicationModule
}

/**
 * Route handlers of Next, called with the `NextRequest` of the package `next`, like the server of
 * Next does. The host in the URL is the configured name of the server, not the `Host` header. If no
 * proxy has set `x-forwarded-for`, the header contains the socket's address.
 */
const next: Framework = {
  name: 'Next',
  hasTrustSetting: false,
  trustedProxies: ['unix', '127.0.0.0/8'],
  hasAddress: false,
  serve({ gate, answer }) {
    const handlers = mountNext(gate)
    const handle = async (request: NextRequest): Promise<Response> => {
      if (gate.handles(request)) {
        const method = request.method as keyof typeof handlers
        return handlers[method](request)
      }
      const call = { ...webCall(request), request, readBody: () => request.json() }
      const { status, body, cacheControl } = await answer(call)
      const response = NextResponse.json(body, { status })
      response.cookies.set('own', '1')
      if (cacheControl !== null) response.headers.set('cache-control', cacheControl)
      return gate.respond(request, response)
    }
    const app = new Hono().all('*', ({ req: { raw } }) => {
      const url = new URL(raw.url)
      url.hostname = 'localhost'
      const headers = new Headers(raw.headers)
      if (!headers.has('x-forwarded-for')) headers.set('x-forwarded-for', '127.0.0.1')
      const { method, body, signal } = raw
      return handle(new NextRequest(url, { method, headers, body, signal, duplex: 'half' }))
    })
    const { promise, resolve } = Promise.withResolvers<Listening>()
    const options = { fetch: app.fetch, port: 0, hostname: '127.0.0.1' }
    const server = serveHono({ ...options, overrideGlobalObjects: false }, ({ port }) => {
      const close = () =>
        closeAll(server, () => new Promise<void>((end) => server.close(() => end())))
      resolve({ origin: `http://127.0.0.1:${port}`, close })
    })
    return promise
  },
}

/** Every framework that has an adapter. */
export const frameworks: readonly Framework[] = [
  node,
  expressFramework(5),
  expressFramework(4),
  fastifyFramework,
  koa,
  hono,
  nest,
  next,
  h3,
]

function callOf(req: IncomingMessage): Omit<Call, 'readBody'> {
  return { request: req, method: req.method ?? 'GET', target: req.url ?? '/' }
}

function webCall({ method, url }: Request): Omit<Call, 'readBody' | 'request'> {
  const { pathname, search } = new URL(url)
  return { method, target: pathname + search }
}

async function textOf(req: IncomingMessage): Promise<string> {
  return (await req.setEncoding('utf8').toArray()).join('')
}

async function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const end = () => new Promise<void>((closed) => server.close(() => closed()))
  return { origin: `http://127.0.0.1:${port}`, close: () => closeAll(server, end) }
}

async function closeAll(server: object, end: () => PromiseLike<unknown>): Promise<void> {
  const ended = end()
  if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
  await ended
}
