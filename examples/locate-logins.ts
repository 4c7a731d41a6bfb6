// Records the city and the country of each login, from a file in MaxMind's format.

import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express from 'express'
import { type CityResponse, open } from 'maxmind'
import { checkPassword, findUser, formPage, secret } from './application.ts'

const places = await open<CityResponse>('./GeoLite2-City.mmdb', {
  watchForUpdates: true,
  watchForUpdatesNonPersistent: true, // does not keep the process alive
})
const gate = createQuillgate({
  secret,
  database: 'sqlite:./data/app.sqlite',
  trustedProxies: ['127.0.0.1', '::1'], // your proxies, which send `X-Forwarded-For`
})
const devices = createTrustedDevices(gate, {
  users: { findById: findUser },
  locate(address) {
    const place = places.get(address)
    return place && { country: place.country?.iso_code ?? null, city: place.city?.names.en ?? null }
  },
})

export const app = express()
app.use(mount(gate))
app.get('/login', async (req, res) => {
  const fields = '<input name="username"><input name="password" type="password">'
  res.send(formPage('', await gate.csrfToken(req), fields))
})
app.post('/login', express.urlencoded(), async (req, res) => {
  const { csrf_token, username, password } = req.body ?? {}
  if (!(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const check = () => checkPassword(username, password)
  const user = await devices.guardLogin(req, username, check)
  if (!user) return void res.sendStatus(401)
  await devices.login(user, req)
  res.redirect(303, '/trusted-devices')
})
if (import.meta.main) app.listen(3000)
