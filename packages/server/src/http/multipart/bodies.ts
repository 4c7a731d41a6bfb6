import { formBody, jsonBody, propertiesBody } from '../body-kinds.ts'
import { multipartBody } from './multipart-body.ts'

/** The kinds of bodies that endpoints take, for example `bodies.properties({ token: TOKEN })`. */
export const bodies = {
  form: formBody,
  json: jsonBody,
  multipart: multipartBody,
  properties: propertiesBody,
}
