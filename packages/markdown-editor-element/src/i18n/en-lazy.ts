import type { AllStrings, EditorStrings } from './strings.ts'

/** Adds the texts of the scripts that are loaded later. Missing translations are English. */
export function lazyStrings(strings: EditorStrings): AllStrings {
  return { ...EN_LAZY, ...strings }
}

const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** The English texts of the scripts that are loaded later. See `lazyStrings`. */
export const EN_LAZY = {
  close: 'Close',

  previewTooLong: 'This text is too long for a preview. Pages show it as plain text.',
  previewDiffers: 'The published page may look different.',
  wordCount: (count: number): string => plural(count, 'word', 'words'),
  characterCount: (count: number): string => plural(count, 'character', 'characters'),
  charactersLeft: (count: number): string => plural(count, 'character left', 'characters left'),
  selected: (what: string): string => `Selected: ${what}`,

  linkEdit: 'Edit link',
  address: 'Address',
  addressHint: 'https://example.com, /page, or ada@example.com',
  linkText: 'Text',
  linkTitle: 'Title (optional)',
  linkRemove: 'Remove link',
  apply: 'Apply',
  addressMissing: 'Enter an address.',
  addressBroken: 'This is not a valid address. Example: https://example.com/page.',
  schemeRefused: (scheme: string, allowed: string): string =>
    `Addresses with “${scheme}:” are not allowed. Allowed: ${allowed}.`,

  chooseFile: 'Choose a file',
  chooseFiles: 'Choose files',
  fileCount: (count: number): string => `${count} files`,
  mediaMissing: 'Choose a file or enter an address.',
  imageEdit: 'Edit image',
  imageText: 'Description for screen readers (optional)',
  imageMissing: 'The image is no longer in the text.',
  embedAddress: 'Address or embed code',
  embedHint: (sites: string): string => `A video or page from ${sites}`,
  embedTitle: 'Title for screen readers (optional)',
  playerInserted: 'A player will be inserted.',
  linkInstead: (host: string): string =>
    `Pages from ${host} cannot be embedded. A link will be inserted instead.`,

  tableEdit: 'Edit table',
  tableSize: (columns: number, rows: number): string =>
    `${plural(columns, 'column', 'columns')}, ${plural(rows, 'row', 'rows')}`,
  tableHeaderCounts: 'The first row is the header.',
  tableHeader: 'Header',
  tableRow: 'Row',
  tableColumn: 'Column',
  tableCell: (row: number, column: number): string => `Row ${row}, column ${column}`,
  tableCellEmpty: (cell: string): string => `${cell}, empty`,
  tableRowAdded: 'Row added',
  tableEnd: 'Below the table',
  rowBelow: 'Insert below',
  rowDelete: 'Remove row',
  columnAfter: 'Insert after',
  columnDelete: 'Remove column',

  helpSearch: 'Search',
  helpFound: (count: number): string => plural(count, 'entry', 'entries'),
  helpKeys: 'Keys',
  helpMarkdown: 'Markdown',
  keyHelp: 'This help',
  formatOn: (name: string): string => `${name} on`,
  formatOff: (name: string): string => `${name} off`,
  undone: 'Undone',
  redone: 'Redone',
  keyHeading: (level: number): string => `Heading ${level}`,
  keySubmit: 'Send the form',
  keyModes: 'Write, split, preview',
  keyEnter: 'Continue a list or a quote; on an empty item, end it',
  keyTab: 'Indent or outdent a list item; elsewhere, go to the next field',
  keyCell: 'In a table: next cell, previous cell, next row; in an empty last row, end the table',
  keyUpload: 'Upload a copied file or picture; dropping a file works too',
  keyLeave: 'Leave the text with the keyboard',
  keyThen: (first: string, second: string): string => `${first}, then ${second}`,
  keyName: (key: string): string => key,
  keyToolbar: 'Go from the text to the toolbar; move between its buttons',
  keyArrows: 'Shift+Tab several times; arrow keys, Home, End',
  samplePicture: '/picture.png',
  sampleText: 'text',
  sampleAddress: 'https://example.com',
  sampleNote: 'Worth knowing',
  helpHeading: 'Heading, level 1 to 6',
  helpAlert: 'Note; also TIP, IMPORTANT, WARNING, CAUTION',
  helpFootnote: 'Footnote',
  helpPlayer: 'Embed a player: the address of a video alone on a line',
  helpEscape: 'The character itself',

  suggestions: 'Suggestions',
  suggestionCount: (count: number): string => plural(count, 'suggestion', 'suggestions'),

  draftFound: (time: string): string => `There is a draft from ${time}.`,
  draftConflict: 'The text has changed since then.',
  draftRestore: 'Restore',
  draftCompare: 'Compare',
  draftDiscard: 'Discard',
  draftDiscarded: 'The draft was discarded.',
  draftLeftOut: (values: string): string =>
    `Not restored, because the field has changed: ${values}`,
  draftSaved: (time: string): string => `Draft saved ${time}`,
  draftNotSaved: 'Drafts cannot be saved in this browser.',

  mergeTitle: 'Compare the draft',
  mergeFits: 'Both versions fit together. Check the merged text, then use it.',
  mergeClashes: (count: number): string =>
    `${plural(count, 'place was', 'places were')} changed in both versions. The merged text contains both versions.`,
  mergeMine: 'Your draft',
  mergeTheirs: 'The current text',
  mergeResult: 'Merged text',
  mergeUse: 'Use this text',

  uploads: 'Uploads',
  uploading: (name: string): string => `Uploading ${name}`,
  uploaded: (name: string): string => `${name} was uploaded`,
  placeholder: (name: string): string => `Uploading ${name}…`,
  uploadingFiles: (count: number): string => `Uploading ${count} files`,
  uploadFailed: (name: string, reason: string): string => `${name} was not uploaded. ${reason}`,
  uploadUnplaced: (name: string): string =>
    `${name} was uploaded, but its place in the text no longer exists.`,
  uploadInterrupted: (name: string): string => `The upload of ${name} was interrupted.`,
  fileEmpty: (name: string): string => `${name} is empty.`,
  fileTooLarge: (name: string, size: string, most: string): string =>
    `${name} is too large (${size}). The limit is ${most}.`,
  fileUnreadable: 'The file cannot be read. It may be a folder, or it was changed or moved.',
  typeRefused: (name: string, type: string): string =>
    `${name} was not uploaded. Files of the type “${type}” are not accepted.`,
  readOnly: 'The text cannot be changed at the moment.',
  chooseAgain: 'Choose the file again',
  remove: 'Remove',
  removeUpload: (name: string): string => `Remove ${name} from the text`,
  uploadRemoved: 'Upload removed',
  cancel: 'Cancel',
  cancelUpload: (name: string): string => `Cancel the upload of ${name}`,
  insert: 'Insert',
  waiting: 'Waiting for uploads before the form is sent…',
  sendWithout: 'Send without the files',
  dontSend: 'Don’t send',
  finalizing: 'Preparing the text…',
  uploadStopsForm: 'The form was not sent, because a file was not uploaded.',
  finalizeFailed: (reason: string): string =>
    `The form was not sent, and your text is kept. ${reason}`,
  noConnection: 'The server could not be reached.',
  signedOut: 'You were signed out. Sign in using another tab, then try again.',
  outOfDate: 'This page is out of date. Copy your text, then reload the page.',
  notSetUp: 'This page is not set up correctly. Please tell the people who run it.',
  refused: 'This page cancelled the request.',
  badAnswer: 'The server gave an unexpected answer.',
  status: (status: number): string => `The server answered with status ${status}.`,
  tooLarge: 'The data is too large for the server.',
} as const
