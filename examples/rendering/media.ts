import { DefaultRenderer } from '@quillgate/markdown'
import { onMedium } from './from-cdn.ts'

export const renderer = new DefaultRenderer({ onMedium })
