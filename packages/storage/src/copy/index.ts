export { copyObjects } from './copy-objects.ts'
export {
  type CopyCounts,
  OBJECT_COPY_OPTIONS,
  type ObjectCopyReport,
  type ObjectToCopy,
} from './copy-report.ts'
export { createDifferenceList, type Differences, MAX_ITEMS } from './differences.ts'
