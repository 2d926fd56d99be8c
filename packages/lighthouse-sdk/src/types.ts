/** Progress of a transfer: 0 to 100 in Node, 0 to 1 in a page. */
export interface IUploadProgressCallback {
  /** How much is sent. */
  progress: number;
}

/** One stored file or folder. */
export interface IFileUploadedResponse {
  /** As it was sent. */
  Name: string;
  /** Content id. */
  Hash: string;
  /** Bytes as stored, a decimal string. */
  Size: string;
}

/** Several stored files, or one. */
export type UploadFileReturnType<T extends boolean> = T extends true ? IFileUploadedResponse[] : IFileUploadedResponse;

/** Headers of an upload. */
export type Headers = {
  /** Storage class, such as `walrus`. */
  storageType?: string;
};

/** Options of uploads of strings and bytes. */
export interface UploadOptions {
  /** Version of the content ids. Default 1. */
  cidVersion?: number;
  /** Headers of the upload. */
  headers?: Headers;
}

/** Options of uploads of files. */
export interface UploadFilesOptions extends UploadOptions {
  /** Receives how far the upload is. */
  onProgress?: (data: IUploadProgressCallback) => void;
}

/** The named fields of one of the kit's types. The incumbent's types have none that may be missing or `null`. */
export type Complete<T> = { [Key in keyof T as string extends Key ? never : Key]-?: NonNullable<T[Key]> };
