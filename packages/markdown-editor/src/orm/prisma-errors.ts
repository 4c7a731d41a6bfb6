import { QuillgateError } from '@quillgate/http'

/** A write whose media cannot be seen. */
export function notTracked(model: string, advice: string): QuillgateError {
  return new QuillgateError(
    'expression_not_tracked',
    500,
    `The media of this write to ${model} cannot be seen. ${advice}`,
  )
}

/** A write that would not belong to the transaction that it is meant for. */
export function transactionMisuse(detail: string): QuillgateError {
  return new QuillgateError('transaction_misuse', 500, detail)
}
