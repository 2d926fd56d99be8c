import type { BearerOptions, CallOptions, DecryptOptions, RecoverFileKeyOptions, StorageClass } from "keeplight";
import {
  bearerSchema,
  callback,
  mixedSchema,
  type OptionSchema,
  pickOptions,
  type Resolved,
  recoverFileKeySchema,
  storageSchema,
  unchecked,
} from "keeplight/parts";
import { folderPath } from "./checks.ts";

/** Who opens backups: the account, or who has the key of its repository, from a recovery kit. */
export type ReadOptions =
  | (RecoverFileKeyOptions & { key?: undefined })
  | (CallOptions & {
      /**
       * Key of the repository's file, 64 hex digits, or several, or what returns them for the content id of a file, as `keys` of a
       * recovery kit does. Nothing is signed then.
       */
      key: FileKeys | ((cid: string) => FileKeys);
    });

type FileKeys = string | readonly string[];

export const readSchema = {
  ...recoverFileKeySchema,
  ...mixedSchema,
  key: unchecked<FileKeys | ((cid: string) => FileKeys)>(),
} satisfies OptionSchema<ReadOptions>;

export type ResolvedRead = Resolved<typeof readSchema>;

/** Returns the options that a file is decrypted with. */
export function toFileOptions(cid: string, options: ResolvedRead): DecryptOptions {
  const { key } = options;
  const own = typeof key === "function" ? { key: key(cid) } : {};
  return { ...pickOptions(options, readSchema), ...own } as DecryptOptions;
}

/** The account that has backups. */
export type AccountOptions = BearerOptions & ReadOptions;

export const accountSchema = { ...readSchema, ...bearerSchema, ...mixedSchema } satisfies OptionSchema<AccountOptions>;

export type ResolvedAccount = Resolved<typeof accountSchema>;

/** Options of calls that store something. */
export type WriteOptions = AccountOptions & {
  /**
   * Folder for what this machine knows of the account's backups, and nothing else; created with mode 0700. It has the key of
   * all backups: keep it as private as the files. If it is lost, files are read again, but not sent again.
   */
  state: string;
  /** Storage class of what is stored. @default the network's own */
  storage?: StorageClass | undefined;
  /**
   * Receives each failure of a service that is down, which is waited for, up to an hour. What it throws is ignored.
   *
   * @default none
   */
  onError?: ((error: unknown) => void) | undefined;
};

export const writeSchema = {
  ...accountSchema,
  state: folderPath,
  storage: storageSchema.storage,
  onError: callback<(error: unknown) => void>(),
} satisfies OptionSchema<WriteOptions>;

export type ResolvedWrite = Resolved<typeof writeSchema>;
