// In your project, replace this file by ../application.ts.

export { checkPassword, findUser, formPage, posts, secret } from '../application.ts'
