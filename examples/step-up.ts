/**
 * Sends a request. If the server requires the password, asks for it and sends the request again.
 */
export async function ask(
  url: string,
  init: RequestInit,
  page: { readonly csrfToken: string; askForPassword(): Promise<string> },
): Promise<Response> {
  const response = await fetch(url, init)
  const problem = response.status === 403 ? await response.clone().json() : null
  if (problem?.code !== 'step_up_required') return response
  const proof = await fetch('/trusted-devices/reauthenticate', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': page.csrfToken },
    body: JSON.stringify({ password: await page.askForPassword() }),
  })
  return proof.ok ? fetch(url, init) : response
}
