import type { Kit } from "../../src/index.ts";
import type { Call } from "./calls.ts";

/** Where the contract's services are: a name that leads nowhere, should a request ever get out. */
export const endpoints = {
  api: "http://api.invalid",
  upload: "http://upload.invalid",
  gateway: "http://gateway.invalid",
  keyNodes: "http://nodes.invalid",
};

/** One request as it has to be on the wire. */
export interface Wire {
  method: string;
  /** Whole URL, query included, to the letter. */
  url: string;
  /** All but those of HTTP itself; those left out must not be sent. */
  headers: Readonly<Record<string, string>>;
  /** None, JSON, or the parts of a form. */
  body?: { json: unknown } | { form: FormPart[] };
}

/** A part of a form; its `Content-Disposition` and `Content-Type` to the letter. */
export interface FormPart {
  disposition: string;
  type: string;
  /** Its bytes as text, or how many there are where they are never the same. */
  content: string | number;
}

/** How a call words its failures. */
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
  | "shards";

/** One call of the network and the function that makes it. */
export interface Row {
  /** The call. */
  of: Call;
  /** The function, and what is special about this row of it. */
  name: string;
  call(kit: Kit): Promise<unknown>;
  /** Every request of a call that goes well; a function where the call draws them. */
  sends: Wire[] | ((sent: readonly Wire[]) => Wire[] | Promise<Wire[]>);
  /** What the services answer: JSON, or another text as it is. */
  answers: unknown | ((request: Wire) => unknown);
  /** What the function gives then. */
  gives: unknown;
  failsLike: Profile;
  /** What it says of an answer that is JSON but not what was asked for. */
  misread: string;
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
}));

/** What no error may show. */
export const secrets = [apiKey, jwt, refreshToken, signature, ...keyShards.flatMap(({ key, index }) => [key, index])];

export const signer = { getAddress: () => address, signMessage: async () => signature };
export const bearer = { authorization: `Bearer ${apiKey}` };
