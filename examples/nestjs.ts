import {
  Body,
  Controller,
  Get,
  Header,
  HttpException,
  Module,
  Post,
  Req,
  Res,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/nestjs'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import type { Request, Response } from 'express'
import { checkPassword, findUser, formPage, posts, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })

@Controller()
class PagesController {
  @Get('login')
  @Header('content-type', 'text/html')
  async loginPage(@Req() req: Request): Promise<string> {
    const fields = '<input name="username"><input name="password" type="password">'
    return formPage('', await gate.csrfToken(req), fields)
  }

  @Post('login')
  async login(
    @Req() req: Request,
    @Res() res: Response,
    @Body() { csrf_token, username = '', password = '' }: Record<string, string>,
  ): Promise<void> {
    if (!(await gate.verifyCsrf(req, csrf_token))) throw new HttpException('Forbidden', 403)
    const check = () => checkPassword(username, password)
    const user = await devices.guardLogin(req, username, check) // limits the attempts
    if (!user) throw new HttpException('Wrong name or password', 401)
    await devices.login(user, req) // sets the cookies of the response
    res.redirect(303, '/')
  }

  @Get()
  async list(@Req() req: Request, @Res() res: Response): Promise<void> {
    if (!(await devices.authenticate(req))) return res.redirect(303, '/login')
    const widget = editor.widget()
    const list = posts.map((post) => editor.renderer.render(post)).join('<hr>')
    const fields = widget.render('body', '')
    res.send(formPage(renderAssets(widget.assets), await gate.csrfToken(req), fields) + list)
  }

  @Post()
  async create(
    @Req() req: Request,
    @Res() res: Response,
    @Body() { csrf_token, body = '' }: Record<string, string>,
  ): Promise<void> {
    const session = await devices.authenticate(req)
    if (!session || !(await gate.verifyCsrf(req, csrf_token)))
      throw new HttpException('Forbidden', 403)
    const { text } = await editor.finalize(body, { owner: session.user })
    const post = { type: 'post', id: posts.push(text) }
    await editor.references.set(post, { body: text }, { actor: session.user })
    res.redirect(303, '/')
  }
}

@Module({ controllers: [PagesController] })
class ApplicationModule {}

export async function start(port: number): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(ApplicationModule)
  app.use(mount(gate)) // adds the endpoints of both components
  app.useBodyParser('urlencoded', { limit: '10mb' }) // the default is 100 kB
  await app.listen(port)
  return app
}
if (import.meta.main) await start(3000)
