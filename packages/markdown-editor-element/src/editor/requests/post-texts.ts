import type { FinalizeRequest, FinalizeResponse } from '../../contract/wire.ts'
import type { RequestTarget } from './announce-request.ts'
import { type Answer, badAnswer, connectionLost, isRecord, readAnswer } from './request-error.ts'

/**
 * Asks the server to make the temporary files of one or several texts permanent.
 *
 * @throws RequestError, or the signal's reason when it was aborted
 */
export async function postTexts(
  { url, headers, signal, strings }: RequestTarget,
  texts: readonly string[],
): Promise<FinalizeResponse> {
  headers.set('content-type', 'application/json')
  const [text = ''] = texts
  const body: FinalizeRequest = texts.length === 1 ? { text } : { texts }
  let answer: Answer
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    })
    const { status } = response
    answer = {
      status,
      text: await response.text(),
      retryAfter: response.headers.get('retry-after'),
    }
  } catch (error) {
    throw signal.aborted ? error : connectionLost(strings, error)
  }
  const result = readAnswer(answer, strings)
  if (!isRecord(result) || !isTextMap(result['replacements'])) throw badAnswer(strings)
  const { replacements, missing } = result
  return {
    replacements,
    missing: Array.isArray(missing) ? missing.filter((url) => typeof url === 'string') : [],
  }
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((item) => typeof item === 'string')
}
