import { normalizeAddress } from "./addresses.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Jwts } from "./jwts.ts";
import type { MessageBook } from "./messages.ts";

/** The credentials that identify a caller. */
export interface Auth {
  /** Messages of the API host: for API keys and one-time tokens. */
  messages: MessageBook;
  /** Messages of the key nodes: for JWTs, and for signatures sent as bearers. */
  nodeMessages: MessageBook;
  apiKeys: ApiKeys;
  jwts: Jwts;
}

/** Returns the token after `Bearer`, or `undefined`. */
export function parseBearer(header: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(header ?? "")?.[1];
}

/** Returns the address of an API key or a JWT. */
export async function findAccount(auth: Auth, header: string | undefined): Promise<string | undefined> {
  const token = parseBearer(header);
  if (token === undefined) return undefined;
  return auth.apiKeys.owner(token) ?? (await auth.jwts.subject(token));
}

/** Returns the address of an API key, a JWT or a one-time token `address$signature`; a one-time token is spent. */
export async function findUploader(auth: Auth, header: string | undefined): Promise<string | undefined> {
  const [claimed, signature] = parseBearer(header)?.split("$") ?? [];
  if (signature === undefined) return findAccount(auth, header);
  const address = normalizeAddress(claimed);
  return address !== undefined && auth.messages.spend(address, signature) ? address : undefined;
}

/**
 * Returns whether the bearer authenticates `address` at key node `node`: a JWT issued to that address, or a signature of
 * its current message, which each node accepts once.
 */
export async function isAuthorizedFor(
  auth: Auth,
  address: string,
  header: string | undefined,
  node: number,
): Promise<boolean> {
  const token = parseBearer(header);
  if (token === undefined) return false;
  const subject = await auth.jwts.subject(token);
  return subject === undefined ? auth.nodeMessages.accept(address, token, String(node)) : subject === address;
}
