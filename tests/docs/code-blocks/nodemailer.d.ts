// A guide uses this package, which is not installed here.
declare module 'nodemailer' {
  export function createTransport(url: string): { sendMail(mail: object): Promise<unknown> }
}
