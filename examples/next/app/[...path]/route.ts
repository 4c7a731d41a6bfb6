import { handlers } from '../../quillgate.ts'

// Serves all endpoints of both components. Next prefers your pages and other routes.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = handlers
