/** A part of a file, in bytes. */
export interface ByteRange {
  /** Position of the first byte. @default 0 */
  from?: number | undefined;
  /** Position after the last byte; beyond the end of the file it means the end. @default the size of the file */
  to?: number | undefined;
}
