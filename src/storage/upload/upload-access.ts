import { invalidOption, paidList } from "../../base/errors/input.ts";
import { type Check, type OptionSchema, optional, unchecked } from "../../base/operation.ts";
import type { BearerOptions, ResolvedCall } from "../../base/options.ts";
import type { HttpRequest } from "../../network/http/client.ts";
import type { assertSuccess } from "../../network/http/response.ts";
import type { SourceFile } from "../../platform/types.ts";
import type { ProgressReporter } from "../progress.ts";
import { type StorageClass, type StorageOptions, storageSchema } from "./storage-class.ts";
import type { UploadedFile, UploadedFiles } from "./upload-response.ts";

/** What is kept of a payment that waits, or was interrupted: not who pays. Plain data. */
export interface StoredPayment {
  /** The most to pay, in the smallest unit of the token, a decimal string. */
  maxAmount: string;
  [name: string]: unknown;
}

/** Pays for one upload: what `payPerUpload` of `@keeplight/pay-per-upload` returns. */
export interface UploadPayer {
  /** What a journal keeps of it. */
  readonly stored: StoredPayment;
  /** Returns the same payer for what was started, or has waited, with this; what the payer was made with takes precedence. */
  withStored(stored: StoredPayment): UploadPayer;
}

/** The file of one upload that is paid for. */
export interface PaidFile {
  file: SourceFile;
  /** What {@link UploadPayment.startOrder} returned. */
  order: object;
  /** Returns the content ids that it may be stored under, as far as they are known. */
  listCids(): readonly string[];
  progress: ProgressReporter;
}

/** The options of an upload that decide where it is sent, and how it is stored. */
interface PaidOptions extends Pick<ResolvedCall, "endpoints"> {
  apiKey?: unknown;
  via?: unknown;
  cidVersion?: unknown;
  wrapWithDirectory?: unknown;
  storage?: unknown;
}

/** How an upload is paid for: what its steps do instead of sending it for an account. */
export interface UploadPayment extends UploadPayer {
  /** Returns where the file is sent; throws `INVALID_OPTION` beside options that are not to be chosen there. */
  route(options: PaidOptions): { base: string; path: string };
  /** Throws `INVALID_SOURCE` for a file that could not be sent once more for the same payment. */
  checkFile(file: SourceFile): void;
  /** Pays for a file and sends it, unencrypted. */
  upload(file: SourceFile, progress: ProgressReporter, call: ResolvedCall): Promise<UploadedFiles>;
  /** Returns what is paid for once, of an encrypted file: plain data that a journal keeps. */
  startOrder(masterKey: string, call: ResolvedCall): Promise<object>;
  /**
   * Pays for an encrypted file and sends it, or finds it if its order was paid before. Once something is signed, errors have
   * `details.payment`.
   */
  uploadEncrypted(paid: PaidFile, call: ResolvedCall): Promise<UploadedFile>;
  /** Finds an encrypted file by its content ids if its order is paid. */
  find(
    paid: { name: string; order: object; cids: readonly string[] },
    call: ResolvedCall,
  ): Promise<UploadedFile | undefined>;
}

/** Checks the option `payPerUpload`, which is not copied. */
export const checkPayer: Check<UploadPayment | undefined> = Object.assign(optional(requirePayer), {
  isReference: true as const,
});

/** Throws `INVALID_OPTION` for anything but what {@link UploadPayer} describes. */
export function requirePayer(payer: unknown): UploadPayment {
  const { withStored, uploadEncrypted } = Object(payer) as Partial<UploadPayment>;
  if (typeof withStored === "function" && typeof uploadEncrypted === "function") return payer as UploadPayment;
  throw invalidOption("payPerUpload", "what payPerUpload({ signer, maxAmount }) of @keeplight/pay-per-upload returns");
}

/** Returns the file that is paid for; throws `INVALID_SOURCE` for a list of several. */
export function getPaidFile([file, ...others]: readonly SourceFile[]): SourceFile {
  if (!file || others.length > 0) throw paidList();
  return file;
}

/** An endpoint made by `createUploadHandler` that expects a bearer. */
export interface UploadEndpoint {
  /** A URL, in a page also a path. */
  url: string | URL;
  /** Sent as `Authorization: Bearer`, for endpoints that do not sign people in by cookies. Never the network's API key. */
  token?: string | undefined;
}

/** What lets an upload in: an API key, an endpoint of one's own server that has one, or a payment. Exactly one of them. */
export type UploadAccess =
  | (Pick<BearerOptions, "apiKey"> & {
      /** Not beside an API key. */
      via?: undefined;
      /** Not beside an API key. */
      payPerUpload?: undefined;
    })
  | {
      /** Not beside a payment. */
      apiKey?: undefined;
      /** Not beside a payment. */
      via?: undefined;
      /**
       * Pays for one file, without an account (x402): a path, a Blob or bytes. The file is stored for as long as its receipt
       * says. It is not in the payer's listing, and nobody can delete it.
       */
      payPerUpload: UploadPayer;
    }
  | {
      /** Not beside an endpoint. */
      apiKey?: undefined;
      /** Not beside an endpoint. */
      payPerUpload?: undefined;
      /**
       * The URL of an endpoint made by `createUploadHandler` (`@keeplight/server`), in a page also a path such as
       * `/api/upload`. The files pass through it, and the API key stays there.
       */
      via: string | URL | UploadEndpoint;
    };

/** Takes {@link UploadAccess}, which is checked by `resolveRoute` where something is sent, and the storage class. */
export const uploadAccessSchema = {
  apiKey: unchecked<string>(),
  via: unchecked<UploadAccess["via"]>(),
  payPerUpload: checkPayer,
  ...storageSchema,
} satisfies OptionSchema<UploadAccess & StorageOptions>;

/** Where an upload is sent. */
export interface Route extends Pick<HttpRequest, "base" | "path" | "query" | "bearer" | "headers"> {
  /** Throws the error that an endpoint of an own server reports; `HTTP_STATUS` for any other refusal. */
  check?: typeof assertSuccess;
  storage?: StorageClass | undefined;
  /** Whether to refuse what the account has no room for. */
  checkRoom?: boolean;
  /** How the file is paid for, if it is. */
  payment?: UploadPayment;
}
