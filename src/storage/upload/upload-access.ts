import { type OptionSchema, unchecked } from "../../base/operation.ts";
import type { BearerOptions } from "../../base/options.ts";
import type { HttpRequest } from "../../network/http/client.ts";
import type { assertSuccess } from "../../network/http/response.ts";
import { type StorageClass, type StorageOptions, storageSchema } from "./storage-class.ts";
import { checkPayer, type UploadPayer, type UploadPayment } from "./upload-payer.ts";

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
