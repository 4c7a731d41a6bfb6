export { copyObjects } from './copy-objects.ts'
export {
  type CopyCounts,
  createDifferenceList,
  type Differences,
  MAX_ITEMS,
  OBJECT_COPY_OPTIONS,
  type ObjectCopyReport,
  type ObjectToCopy,
} from './copy-report.ts'
