import type { RequestHandler } from 'express'

/**
 * Creates middleware that sets the security headers of every page. The `Referrer-Policy` must not
 * be `no-referrer`, because browsers would then send `Origin: null` with the forms of this site.
 *
 * @param embedHosts the hosts whose frames the renderer allows
 */
export function securityHeaders(embedHosts: readonly string[]): RequestHandler {
  const headers = {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' https:",
      "media-src 'self' https:",
      `frame-src ${embedHosts.map((host) => `https://${host}`).join(' ') || "'none'"}`,
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types quillgate',
    ].join('; '),
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
  return (_request, response, next) => {
    response.set(headers)
    next()
  }
}
