// Records the city and the country of each login. Reads them from a file in MaxMind's format.

import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express from 'express'
import { type CityResponse, open } from 'maxmind'
import { findUser, secret } from './application.ts'
import { loginRoutes } from './login.ts'

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
app.use(loginRoutes(gate, devices, '/trusted-devices'))
if (import.meta.main) app.listen(3000)
