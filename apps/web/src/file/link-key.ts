/** What is known of a file's key before the key nodes are queried. */
export type KnownKey = (LinkKey | ListedKey) & {
  /** How the encrypted file was split into blocks; `undefined` if unknown. */
  chunkProfile: string | undefined;
};

/** What an encrypted folder, or a link that can be ended, says of the key of a file. The key nodes have to return that one. */
interface ListedKey {
  key?: undefined;
  /** Of the key to the file; a link may have none. */
  commitment: string | undefined;
}

/** The key in a share link, which opens a file without a wallet. */
interface LinkKey {
  /** 64 hex characters. A secret. */
  key: string;
  /** Of the key to the file. */
  commitment: string;
}
