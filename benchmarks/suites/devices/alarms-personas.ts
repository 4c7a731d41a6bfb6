import type { Random } from '../../corpus/random.ts'
import { AppClient, BrowserClient, type ClientParts } from './alarms-clients.ts'
import { abroad, addressIn, type Country, HOME } from './alarms-places.ts'

/** Simulates one day of a user. `day` is the number of days since the start. */
export type Day = (day: number) => Promise<void>

export type Persona = (parts: ClientParts, random: Random) => Day

const WINDOWS = 'Windows NT 10.0; Win64; x64'
const LINUX = 'X11; Linux x86_64'
const PHONE = 'my-app/4.1 (Android 16; Pixel 8)'

/**
 * Returns a function that returns the country of a user on a day. In each period of `every` days,
 * the user is abroad on the last `days` days.
 */
function journeys(random: Random, every: number, days: number): (day: number) => Country {
  let destination = abroad(random)
  return (day) => {
    if (day % every === 0) destination = abroad(random)
    return day % every >= every - days ? destination : HOME
  }
}

const isWorkday = (day: number): boolean => day % 7 < 5

/** The simulated users. All of them are legitimate. */
export const personas: Readonly<Record<string, Persona>> = {
  'office and home': (parts, random) => {
    const laptop = new BrowserClient(parts, WINDOWS)
    const [office, home] = [addressIn(HOME, random, 4), addressIn(HOME, random, 6)]
    return async (day) => {
      if (isWorkday(day)) for (let visit = 0; visit < 3; visit++) await laptop.visit(office)
      if (isWorkday(day)) await laptop.signOut(office)
      await laptop.visit(home)
      await laptop.signOut(home)
    }
  },
  'a phone on many networks': (parts, random) => {
    const phone = new AppClient(parts, PHONE)
    return async (day) => {
      for (let use = 0; use < 12; use++)
        await phone.use(addressIn(HOME, random), random.below(10) < 1)
      if (day % 5 === 4) await phone.signOut(addressIn(HOME, random))
    }
  },
  'IPv4 and IPv6 in turn': (parts, random) => {
    const browser = new BrowserClient(parts, LINUX)
    const [four, six] = [addressIn(HOME, random, 4), addressIn(HOME, random, 6)]
    return async (day) => {
      for (let visit = 0; visit < 8; visit++) await browser.visit(visit % 2 === 0 ? four : six)
      if (day % 3 === 2) await browser.signOut(four)
    }
  },
  'a traveller with laptop and phone': (parts, random) => {
    const laptop = new BrowserClient(parts, WINDOWS)
    const phone = new AppClient(parts, PHONE)
    const where = journeys(random, 35, 8)
    return async (day) => {
      const address = addressIn(where(day), random)
      await laptop.visit(address)
      await laptop.signOut(address)
      for (let use = 0; use < 4; use++)
        await phone.use(addressIn(where(day), random), random.below(20) < 1)
      if (day % 10 === 9) await phone.signOut(address)
    }
  },
  'a traveller on hotel computers': (parts, random) => {
    const laptop = new BrowserClient(parts, WINDOWS)
    const where = journeys(random, 35, 8)
    return async (day) => {
      const country = where(day)
      const browser = country === HOME ? laptop : new BrowserClient(parts, WINDOWS)
      await browser.visit(addressIn(country, random))
      await browser.signOut(addressIn(country, random))
    }
  },
  'a VPN with changing exits': (parts, random) => {
    const browser = new BrowserClient(parts, LINUX)
    return async () => {
      const address = addressIn(random.below(2) < 1 ? abroad(random) : HOME, random)
      for (let visit = 0; visit < 3; visit++) await browser.visit(address)
      await browser.visit(addressIn(abroad(random), random)) // The VPN changes its exit.
      await browser.signOut(address)
    }
  },
  'a VPN and private windows': (parts, random) => {
    const browser = new BrowserClient(parts, LINUX)
    return async () => {
      await browser.visit(addressIn(random.below(2) < 1 ? abroad(random) : HOME, random))
      browser.clearCookies()
    }
  },
  'private windows at home': (parts, random) => {
    const browser = new BrowserClient(parts, LINUX)
    return async () => {
      await browser.visit(addressIn(HOME, random))
      browser.clearCookies()
    }
  },
  'cookies cleared each week, journeys': (parts, random) => {
    const browser = new BrowserClient(parts, WINDOWS)
    const where = journeys(random, 60, 6)
    return async (day) => {
      await browser.visit(addressIn(where(day), random))
      if (day % 2 === 1) await browser.signOut(addressIn(where(day), random))
      if (day % 7 === 6) browser.clearCookies()
    }
  },
  'browser updates, a new phone each year': (parts, random) => {
    const browser = new BrowserClient(parts, WINDOWS)
    let phone = new AppClient(parts, PHONE)
    return async (day) => {
      if (day % 28 === 27) browser.version++
      if (day % 365 === 200) phone = new AppClient(parts, 'my-app/4.2 (Android 17; Pixel 11)')
      await browser.visit(addressIn(HOME, random))
      await phone.use(addressIn(HOME, random))
      if (day % 2 === 1) await browser.signOut(addressIn(HOME, random))
    }
  },
  'a border between networks': (parts, random) => {
    const browser = new BrowserClient(parts, LINUX)
    const phone = new AppClient(parts, PHONE)
    const near = (): string => addressIn(random.pick([HOME, HOME, 'FR', 'CH']), random)
    return async (day) => {
      await browser.visit(near())
      if (day % 2 === 1) await browser.signOut(near())
      for (let use = 0; use < 6; use++) await phone.use(near(), random.below(20) < 1)
      if (day % 30 === 29) browser.clearCookies()
    }
  },
  'two people at one computer': (parts, random) => {
    const shared = new Map<string, string>()
    const people = [parts, { ...parts, userId: `${parts.userId}-partner` }].map(
      (each) => new BrowserClient(each, WINDOWS, shared),
    )
    return async () => {
      for (const person of people) {
        await person.signIn(addressIn(HOME, random))
        await person.visit(addressIn(HOME, random))
      }
    }
  },
}
