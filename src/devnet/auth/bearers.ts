import { normalizeAddress } from "./addresses.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Jwts } from "./jwts.ts";
import type { MessageBook } from "./messages.ts";

/** Everything that proves who is asking. */
export interface Auth {
  /** Messages of the API host: for API keys and one-time tokens. */
  messages: MessageBook;
  /** Messages of the key nodes: for JWTs and signatures used as they are. */
  nodeMessages: MessageBook;
  apiKeys: ApiKeys;
  jwts: Jwts;
}

/** The text after `Bearer`, or `undefined`. */
function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(header ?? "")?.[1];
}

/** The address behind an API key or a JWT. */
export async function accountOf(auth: Auth, header: string | undefined): Promise<string | undefined> {
  const token = bearerToken(header);
  if (token === undefined) return undefined;
  return auth.apiKeys.owner(token) ?? (await auth.jwts.subject(token));
}

/** The address behind an API key, a JWT or a one-time token `address$signature`, which is used up by this. */
export async function uploaderOf(auth: Auth, header: string | undefined): Promise<string | undefined> {
  const [claimed, signature] = bearerToken(header)?.split("$") ?? [];
  if (signature === undefined) return accountOf(auth, header);
  const address = normalizeAddress(claimed);
  return address !== undefined && auth.messages.spend(address, signature) ? address : undefined;
}

/**
 * Whether the bearer may speak for `address` at key node `node`: a JWT issued to that address, or a
 * signature of its current message, which each node takes once.
 */
export async function speaksFor(
  auth: Auth,
  address: string,
  header: string | undefined,
  node: number,
): Promise<boolean> {
  const token = bearerToken(header);
  if (token === undefined) return false;
  const subject = await auth.jwts.subject(token);
  return subject === undefined ? auth.nodeMessages.accept(address, token, String(node)) : subject === address;
}
