import { deviceCreated, deviceRevoked, suspiciousLogin } from '@quillgate/trusted-devices/signals'

deviceCreated.connect(({ user, device }) => console.log(user.id, 'signed in', device.name), {
  id: 'audit',
})
deviceRevoked.connect(({ user, deviceUid, reason }) => console.log(user.id, deviceUid, reason), {
  id: 'audit',
})
suspiciousLogin.connect(async ({ user, device, previousCountries }) => {
  const before = [...previousCountries].join(', ')
  console.log(user.id, `A login from ${device.country}; until now ${before}`) // send a mail to the user
})
