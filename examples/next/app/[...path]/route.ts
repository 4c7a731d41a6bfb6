import { handlers } from '../../quillgate.ts'

// All endpoints of both components. Pages and other routes come first.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = handlers
