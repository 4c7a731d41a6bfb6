// In your project, put application.ts itself here.

export { checkPassword, findUser, formPage, posts, secret } from '../application.ts'
