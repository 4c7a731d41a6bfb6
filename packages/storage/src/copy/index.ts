export { copyObjects } from './copy-objects.ts'
export {
  type CopyCounts,
  DifferenceList,
  type Differences,
  OBJECT_COPY_OPTIONS,
  type ObjectCopyReport,
  type ObjectToCopy,
} from './copy-report.ts'
