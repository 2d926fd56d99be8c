import type { FiveShards, Kit, KitDefaults } from "../../src/index.ts";
import type { Call } from "./calls.ts";

/** Endpoints that never resolve, in case a request leaves the process. */
export const endpoints = {
  api: "http://api.invalid",
  upload: "http://upload.invalid",
  gateway: "http://gateway.invalid",
  keyNodes: "http://nodes.invalid",
};

/** The exact form of one request. */
export interface Wire {
  method: string;
  /** The whole URL with its query, exactly. */
  url: string;
  /** All except those of HTTP itself; no others may be sent. */
  headers: Readonly<Record<string, string>>;
  /** JSON, or the parts of a form. Default none. */
  body?: { json: unknown } | { form: FormPart[] };
}

/** A part of a form, with its exact `Content-Disposition` and `Content-Type`. */
export interface FormPart {
  disposition: string;
  type: string;
  /** Its bytes as a string, or their number if they are random. */
  content: string | number;
}

/** How a call reports its failures. */
export type Profile =
  | "request"
  | "http"
  | "ticker"
  | "proof"
  | "gateway"
  | "upload"
  | "node"
  | "allNodes"
  | "transfer"
  | "jwt"
  | "shards"
  | "pin";

/** One call of the network and the function that makes it. */
export interface Row {
  /** One of the network's calls. */
  endpoint: Call;
  /** The function, and what is special about this row. */
  name: string;
  call(kit: Kit<KitDefaults>): Promise<unknown>;
  /** Every request of a successful call; a function if they contain random values. */
  requests: Wire[] | ((sent: readonly Wire[]) => Wire[] | Promise<Wire[]>);
  /** The services' response, as JSON. */
  response: unknown | ((request: Wire) => unknown);
  /** What the function then returns. */
  result: unknown;
  profile: Profile;
  /** The message for a response that is JSON of another shape. */
  invalidMessage: string;
}

export const address = "0x00000000000000000000000000000000000000aa";
export const other = "0x00000000000000000000000000000000000000bb";
export const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
export const apiKey = "key-a1b2c3";
export const jwt = "jwt:eyJhbGciOiJub25lIn0.e30.c2VjcmV0";
export const refreshToken = "r:d4e5f6";
export const signature = `0x${"5e".repeat(65)}`;
export const keyShards = [1, 2, 3, 4, 5].map((n) => ({
  key: String(n).repeat(64),
  index: `${n}f`.repeat(32),
})) as FiveShards;

/** Values that no error may show. */
export const secrets = [apiKey, jwt, refreshToken, signature, ...keyShards.flatMap(({ key, index }) => [key, index])];

export const signer = { getAddress: () => address, signMessage: async () => signature };
export const bearer = { authorization: `Bearer ${apiKey}` };
