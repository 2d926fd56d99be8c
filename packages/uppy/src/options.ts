import type { PluginOpts } from "@uppy/core";
import type {
  AccessOptions,
  CallOptions,
  KeyNodeOptions,
  OwnerOptions,
  SaveOnOptions,
  StorageClass,
  UploadEncryptedOptions,
} from "keeplight";
import {
  boolean,
  type Check,
  type Entries,
  getEntries,
  invalidOption,
  isOptions,
  type JournalLike,
  type OptionSchema,
  pickOptions,
  type Resolved,
  reference,
  resolveOptions,
  unchecked,
  uploadEncryptedSchema,
  wholeNumber,
} from "keeplight/parts";

/** Headers by their names, or a function that returns them, which is called before each request. */
export type UploadHeaders = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);

/** How files are sent to one's own server. */
export interface TransferOptions extends PluginOpts {
  /**
   * URL of a handler made by `createResumableHandler` (`@keeplight/server`), in a page also a path such as `/api/uploads`.
   */
  endpoint: string | URL;
  /**
   * What `openJournal` returned: a journal for nothing but this plugin. It keeps the key of each file, what is sent of it, and
   * where, until the file is stored and its key is saved.
   */
  journal: JournalLike;
  /** Headers of each request to the endpoint, such as `{ Authorization: "Bearer …" }`. @default none */
  headers?: UploadHeaders | undefined;
  /** Whether requests to another origin carry cookies. @default false */
  withCredentials?: boolean | undefined;
  /** Storage class of the files. The endpoint has to allow it. @default the network's own */
  storage?: StorageClass | undefined;
  /** How many files are uploaded at once. @default 3 */
  limit?: number | undefined;
  /**
   * Bytes of each request; of a file that is being continued, those that it was started with. Two requests' worth is in memory per
   * file. @default 8,388,608 (8 MiB)
   */
  chunkBytes?: number | undefined;
  /**
   * How long to wait before a request that failed is sent again, in milliseconds; it fails for good once all have passed without
   * progress. While the browser is offline nothing fails. @default [1,000, 3,000, 5,000, 10,000, 20,000]
   */
  retryDelays?: readonly number[] | undefined;
}

/** Options of a {@link KeeplightUploader}: how files are sent, and if they are encrypted, whose they are. */
export type KeeplightUploaderOptions = TransferOptions &
  (
    | ({
        /**
         * Encrypt files in the page, and save their keys on the key nodes. `false` sends them as they are. @default true
         */
        encrypt?: true | undefined;
      } & OwnerOptions &
        AccessOptions &
        SaveOnOptions &
        Omit<KeyNodeOptions, "signal"> &
        Pick<UploadEncryptedOptions, "names" | "scheme" | "verifyCid">)
    | ({
        /** Send files as they are: whoever knows a content id can read them. */
        encrypt: false;
      } & Omit<CallOptions, "signal">)
  );

const DEFAULT_CHUNK_BYTES = 8 * 1024 * 1024;
const DEFAULT_RETRY_DELAYS: readonly number[] = [1_000, 3_000, 5_000, 10_000, 20_000];

const checkEndpoint: Check<string> = (value, name) => {
  const isText = value instanceof URL || (typeof value === "string" && value !== "");
  try {
    const url = new URL(isText ? value : "", globalThis.location?.href);
    const { protocol, username, password, search, hash } = url;
    if (isText && /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === "") {
      return url.href.replace(/\/+$/, "");
    }
  } catch {
    // Refused below, like any other URL that cannot be used.
  }
  throw invalidOption(name, "an http or https URL without credentials, query and fragment; in a page also a path");
};

const checkHeaders: Check<UploadHeaders> = (value = {}, name) => {
  if (typeof value === "function") return value as UploadHeaders;
  return assertHeaders(value, name);
};

/** Returns headers; throws `INVALID_OPTION` for anything but an object of strings. */
export function assertHeaders(value: unknown, name: string): Record<string, string> {
  if (isOptions(value) && Object.values(value).every((header) => typeof header === "string")) {
    return value as Record<string, string>;
  }
  throw invalidOption(name, "an object of strings, or a function that returns one");
}

const checkDelays: Check<readonly number[]> = (value = DEFAULT_RETRY_DELAYS, name) => {
  if (Array.isArray(value) && value.every((delay) => Number.isFinite(delay) && delay >= 0)) return value;
  throw invalidOption(name, "a list of milliseconds");
};

const { shareTo, conditions, chainType, aggregator, decryptionType, ...rest } = uploadEncryptedSchema;
const { saveOn, threshold, scheme, names, verifyCid, storage, signer, address, authToken, ...others } = rest;
const { acceptMessage, endpoints, timeoutMs, idleTimeoutMs, pacing, pauseMs, attempts, retryMs, maxInFlight } = others;

const schema = {
  id: unchecked<string>(),
  locale: reference<PluginOpts["locale"]>(),
  endpoint: checkEndpoint,
  journal: reference<JournalLike>(),
  headers: checkHeaders,
  withCredentials: boolean(false),
  encrypt: boolean(true),
  storage,
  limit: wholeNumber(3, 1),
  chunkBytes: wholeNumber(DEFAULT_CHUNK_BYTES, 1),
  retryDelays: checkDelays,
  ...{ signer, address, authToken, acceptMessage, endpoints, timeoutMs, idleTimeoutMs },
  ...{ pacing, pauseMs, attempts, retryMs, maxInFlight },
  ...{ shareTo, conditions, chainType, aggregator, decryptionType },
  ...{ saveOn, threshold, scheme, names, verifyCid },
} satisfies OptionSchema<KeeplightUploaderOptions>;

/** {@link KeeplightUploaderOptions}, checked and with their defaults. */
export type ResolvedUploader = Omit<Resolved<typeof schema>, "journal"> & {
  /** Of the journal. */
  entries: Entries;
  /** Those of an encrypted upload, as the SDK resolves them. */
  upload: Resolved<typeof uploadEncryptedSchema>;
};

/**
 * Copies and checks the options of the plugin.
 *
 * @throws `INVALID_OPTION`
 */
export function resolveUploader(options: object): ResolvedUploader {
  const { journal, ...resolved } = resolveOptions(schema, options);
  const upload = resolveOptions(uploadEncryptedSchema, pickOptions(resolved, uploadEncryptedSchema));
  return { ...resolved, entries: getEntries(journal as JournalLike), upload };
}

/** Returns those of some options that are the plugin's. */
export const pickUploaderOptions = (options: object): object => pickOptions(options, schema);
