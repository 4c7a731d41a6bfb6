import {
  DefaultUploadHandler,
  type UploadedFile,
  ValidationError,
} from '@quillgate/markdown-editor'

/** Pass `new NoHugePictures()` as the option `uploadHandler`. */
export class NoHugePictures extends DefaultUploadHandler {
  override validate(file: UploadedFile): void {
    if (!file.type.startsWith('image/') || file.size <= 2_000_000) return
    throw new ValidationError('The picture is larger than 2 MB.')
  }
}
