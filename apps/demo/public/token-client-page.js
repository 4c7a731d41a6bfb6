// Signs in with the token client of @quillgate/trusted-devices-client, and shows each request.
import { createTokenClient } from '/static/token-client/index.js'

const part = (id) => document.getElementById(id)
const client = createTokenClient({ storageKey: 'quillgate-demo', fetch: sendAndShow })

/** Sends a request like `fetch`. Adds a line about the request to the page, but without tokens. */
async function sendAndShow(request) {
  const line = document.createElement('li')
  const { pathname, search } = new URL(request.url)
  line.append(code(`${request.method} ${pathname}${search}`), ' ')
  part('no-requests').hidden = true
  part('requests').prepend(line)
  const start = performance.now()
  try {
    const response = await fetch(request)
    const details = [`${response.status}`, `${Math.round(performance.now() - start)} ms`]
    if (request.headers.has('authorization')) details.push('with the access token')
    line.append(note(details.join(' · ')))
    return response
  } catch (error) {
    line.append(note('no answer'))
    throw error
  }
}

const code = (text) => Object.assign(document.createElement('code'), { textContent: text })
const note = (text) =>
  Object.assign(document.createElement('span'), { className: 'meta', textContent: text })

function show(problem = '') {
  const uid = client.deviceUid
  part('sign-in').hidden = uid !== null
  part('signed-in').hidden = uid === null
  part('uid').textContent = uid ?? ''
  part('said').hidden = problem === ''
  part('said').textContent = problem
  part('token-client').hidden = false
}

/** The message about a sign-out in another tab or on the server. */
let signedOutMessage = ''

async function attempt(work) {
  signedOutMessage = ''
  try {
    await work()
    show(signedOutMessage)
  } catch (error) {
    show(`${error.message} (${error.code ?? error.name})`)
  }
}

part('sign-in').addEventListener('submit', (event) => {
  event.preventDefault()
  const form = event.currentTarget
  attempt(async () => {
    await client.login(form.elements.username.value, form.elements.password.value)
    form.reset()
  })
})

for (const button of document.querySelectorAll('[data-url]')) {
  button.addEventListener('click', () =>
    attempt(async () => {
      const response = await client.fetch(button.dataset.url)
      part('answer').textContent = JSON.stringify(await response.json(), null, 2)
      part('answer-part').hidden = false
    }),
  )
}

part('sign-out').addEventListener('click', () => attempt(() => client.logout()))
client.onSignedOut((reason) => {
  part('answer-part').hidden = true
  signedOutMessage = reason === 'logout' ? '' : `This page was signed out: ${reason}.`
  show(signedOutMessage)
})
part('without-script').hidden = true
show()
