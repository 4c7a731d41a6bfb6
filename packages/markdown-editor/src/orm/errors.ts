import { type QuillgateError, serverError } from '@quillgate/server/core'
import { editorError } from '../errors.ts'

/** 500 `expression_not_tracked`: a write whose media cannot be seen. @param name of the table or model */
export function notTracked(name: string, advice: string): QuillgateError {
  return editorError(
    'expression_not_tracked',
    `The media of this write to ${name} cannot be seen. ${advice}`,
  )
}

/** 500 `transaction_misuse`: a write that would not belong to the transaction that it is meant for. */
export function transactionMisuse(detail: string): QuillgateError {
  return serverError('transaction_misuse', detail)
}
