import { QuillgateError } from '@quillgate/server/core'

/** 500 `expression_not_tracked`: a write whose media cannot be seen. @param name of the table or model */
export function notTracked(name: string, advice: string): QuillgateError {
  return new QuillgateError(
    'expression_not_tracked',
    500,
    `The media of this write to ${name} cannot be seen. ${advice}`,
  )
}

/** 500 `transaction_misuse`: a write that would not belong to the transaction that it is meant for. */
export function transactionMisuse(detail: string): QuillgateError {
  return new QuillgateError('transaction_misuse', 500, detail)
}
