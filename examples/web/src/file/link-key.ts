/** The key in a share link, which opens a file without a wallet. */
export interface LinkKey {
  /** 64 hex characters. A secret. */
  key: string;
  /** Of the key to the file. */
  commitment: string;
}
