import type { BearerOptions } from "keeplight";
import { type callSchema, getUploadHost, type Resolved, STORAGE_HEADER } from "keeplight/parts";

/** The account that files are stored for, and the network. */
export interface Account {
  /** The network's API key. */
  bearer: NonNullable<BearerOptions["apiKey"]>;
  endpoints: Resolved<typeof callSchema>["endpoints"];
}

/** What a client says of the files of an upload, as far as the network has to know it. */
export interface Sent {
  isEncrypted: boolean;
  /** Whether they are encrypted texts. */
  isText?: boolean;
  storage: string | undefined;
  /** Further parameters. */
  query?: Readonly<Record<string, string>>;
}

/** Returns where files are sent on to, and how. */
export function routeToNetwork({ isEncrypted, isText = false, storage, query }: Sent, { bearer, endpoints }: Account) {
  return {
    base: getUploadHost(endpoints, storage, isEncrypted),
    path: "/api/v0/add",
    query: { "cid-version": "1", ...query },
    bearer,
    headers: {
      ...(isEncrypted && { Encryption: "true" }),
      ...(isText && { "Mime-Type": "text/plain" }),
      ...(storage !== undefined && { [STORAGE_HEADER]: storage }),
    },
  };
}
