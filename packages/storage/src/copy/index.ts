export { copyObjects, type ObjectsToCopy } from './copy-objects.ts'
export {
  type CopyCounts,
  type CopyOptions,
  OBJECT_COPY_OPTIONS,
  type ObjectCopyReport,
  type ObjectToCopy,
} from './copy-report.ts'
export {
  createDifferenceList,
  type DifferenceList,
  type Differences,
  MAX_ITEMS,
} from './differences.ts'
