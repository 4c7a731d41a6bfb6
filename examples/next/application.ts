// In your project, replace this file with ../application.ts.

export { checkPassword, findUser, formPage, posts, secret } from '../application.ts'
