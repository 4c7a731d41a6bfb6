import { handlers } from '../../quillgate.ts'

// Serves all endpoints of both components. Your pages and more specific routes take precedence.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = handlers
