// Save this file as my-storage.test.ts.

import { memoryStorage } from '@quillgate/storage/testing'
import { storageSuite } from '@quillgate/storage/testing/suites'

const open = async () => ({
  storage: memoryStorage(), // your storage
  close: async () => {}, // delete the objects that the test stored
})

storageSuite('my storage', open, {
  large: 20_000_000, // bytes; more than your storage writes in one piece
  listed: 1_100, // objects; more than your storage lists on one page
  signsUrls: false, // whether your storage has signedUrl
})
