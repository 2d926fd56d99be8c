import { randomBytes, randomUUID } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import { isSignedBy, normalizeAddress } from "./accounts.ts";

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

/** API keys and their owners. */
export interface ApiKeys {
  create(address: string): string;
  owner(key: string): string | undefined;
}

/** Creates an empty set of API keys. */
export function createApiKeys(): ApiKeys {
  const owners = new Map<string, string>();
  return {
    create(address) {
      const key = `${randomBytes(4).toString("hex")}.${randomBytes(16).toString("hex")}`;
      owners.set(key, address);
      return key;
    },
    owner: (key) => owners.get(key),
  };
}

const ISSUER = "devnet-key-nodes";

/** A JWT and its refresh token. */
interface TokenPair {
  token: string;
  refreshToken: string;
}

/** Issues and verifies the key nodes' tokens. */
export interface Jwts {
  issue(address: string): Promise<TokenPair>;
  /** Exchanges a refresh token of `address` for a new pair; `undefined` if it is unknown or already used. */
  refresh(address: string, refreshToken: string): Promise<TokenPair | undefined>;
  /** Returns the address that a token was issued to, or `undefined` if it was not issued here or has expired. */
  subject(token: string): Promise<string | undefined>;
}

/** Creates an issuer with its own key. */
export function createJwts(lifetimeSeconds: number): Jwts {
  const key = randomBytes(32);
  const refreshTokens = new Map<string, string>();

  const issue = async (address: string): Promise<TokenPair> => {
    const now = Date.now() / 1_000;
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(ISSUER)
      .setSubject(address)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetimeSeconds)
      .setJti(randomUUID())
      .sign(key);
    const refreshToken = `r:${randomBytes(24).toString("hex")}`;
    refreshTokens.set(refreshToken, address);
    return { token: `jwt:${jwt}`, refreshToken };
  };

  return {
    issue,
    async refresh(address, refreshToken) {
      if (refreshTokens.get(refreshToken) !== address) return undefined;
      refreshTokens.delete(refreshToken);
      return issue(address);
    },
    async subject(token) {
      try {
        const { payload } = await jwtVerify(token.replace(/^jwt:/, ""), key, { issuer: ISSUER, algorithms: ["HS256"] });
        // the library compares whole seconds only
        if ((payload.exp ?? 0) <= Date.now() / 1_000) return undefined;
        return normalizeAddress(payload.sub);
      } catch {
        return undefined;
      }
    },
  };
}

/** Messages stored per address, so that a loop over all nodes can continue after the first one used its message. */
const MAX_MESSAGES = 4;

interface Message {
  text: string;
  usedBy: Set<string>;
}

/** Messages to sign, and which of them each user has accepted already. */
export interface MessageBook {
  /** Returns the message that `address` signs next; it stays the same until it is used. */
  current(address: string): string;
  /**
   * Returns whether `signature` is over a message of `address` that `user` has not accepted before; if so, `user` does
   * not accept it again.
   */
  accept(address: string, signature: string, user: string): boolean;
  /** The same for all users at once: none of them accepts the message again. */
  spend(address: string, signature: string): boolean;
}

/** Creates an empty book; each message is `prefix` followed by an id. Addresses are normalized. */
export function createMessageBook(prefix: string): MessageBook {
  const byAddress = new Map<string, Message[]>();

  const find = (address: string, signature: string): Message | undefined =>
    byAddress.get(address)?.find(({ text }) => isSignedBy(address, text, signature));

  return {
    current(address) {
      const messages = byAddress.get(address) ?? [];
      const last = messages.at(-1);
      if (last && last.usedBy.size === 0) return last.text;
      const text = prefix + randomUUID();
      byAddress.set(address, [...messages.slice(1 - MAX_MESSAGES), { text, usedBy: new Set() }]);
      return text;
    },
    accept(address, signature, user) {
      const message = find(address, signature);
      if (!message || message.usedBy.has(user)) return false;
      message.usedBy.add(user);
      return true;
    },
    spend(address, signature) {
      const message = find(address, signature);
      if (!message || message.usedBy.size > 0) return false;
      const rest = byAddress.get(address)?.filter((other) => other !== message) ?? [];
      byAddress.set(address, rest);
      return true;
    },
  };
}
