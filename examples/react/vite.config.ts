import { defineConfig } from 'vite'

const server = 'http://localhost:3000' // server.ts
export default defineConfig({
  server: { proxy: { '/api': server, '/md-editor': server, '/media': server } },
  worker: { format: 'es' }, // writes a separate file for each language of code
})
