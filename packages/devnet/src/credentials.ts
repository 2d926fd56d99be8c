import { randomBytes, randomUUID } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import { isSignedBy, normalizeAddress } from "./accounts.ts";
import type { HostileService } from "./attack.ts";
import type { AttackBook } from "./attack-book.ts";
import { Refusal } from "./http/json.ts";
import type { State, StoredMap } from "./state/stored-map.ts";

/** Prefixes of the messages to sign, as on the network. */
const API_HOST_PREFIX = "Please prove you are the owner of this wallet by signing this message, nonce=";
const KEY_NODES_PREFIX = "Please sign this message to prove you are owner of this account: ";

export type Auth = ReturnType<typeof createAuth>;

/** Creates the credentials that identify callers, with those that `state` has. */
export function createAuth(jwtLifetimeSeconds: number, state: State) {
  return {
    /** Messages of the API host: for API keys and one-time tokens. */
    messages: createMessageBook(API_HOST_PREFIX, state.map("api-messages")),
    /** Messages of the key nodes: for JWTs, and for signatures sent as bearers. */
    nodeMessages: createMessageBook(KEY_NODES_PREFIX, state.map("node-messages")),
    apiKeys: createApiKeys(state.map("api-keys")),
    jwts: createJwts(jwtLifetimeSeconds, state),
  };
}

interface Issuer {
  auth: Auth;
  attacks: AttackBook;
}

/** Returns the message that `address` signs for a service; an attacking service passes on the other one's. */
export function getMessage({ auth, attacks }: Issuer, service: HostileService, address: string): string {
  const isRelayed = attacks.find("relay-message", { service }) !== undefined;
  return ((service === "api") === isRelayed ? auth.nodeMessages : auth.messages).current(address);
}

/** Refuses with 401 unless `signature` is of the service's message; an attacking service accepts any. */
export function checkSignature(
  { auth, attacks }: Issuer,
  service: HostileService,
  address: string,
  signature: unknown,
): void {
  const relay = attacks.find("relay-message", { service });
  const messages = service === "api" ? auth.messages : auth.nodeMessages;
  if (typeof signature !== "string" || !(relay || messages.spend(address, signature))) {
    throw new Refusal(401, "Invalid Signature");
  }
  relay?.onSignature({ address, signature });
}

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
export async function isAuthorizedFor(auth: Auth, address: string, header: string | undefined, node: number) {
  const token = parseBearer(header);
  if (token === undefined) return false;
  const subject = await auth.jwts.subject(token);
  return subject === undefined ? auth.nodeMessages.accept(address, token, String(node)) : subject === address;
}

/** Creates the book of API keys. `owners` has the address of each. */
function createApiKeys(owners: StoredMap<string>) {
  return {
    /** Makes a key that was derived one of `address`. */
    add(key: string, address: string): void {
      if (owners.get(key) !== address) owners.set(key, address);
    },
    create(address: string): string {
      const key = `${randomBytes(4).toString("hex")}.${randomBytes(16).toString("hex")}`;
      owners.set(key, address);
      return key;
    },
    owner: (key: string) => owners.get(key),
  };
}

const ISSUER = "devnet-key-nodes";

/** Creates an issuer of the key nodes' tokens, with a key that `state` keeps. */
function createJwts(lifetimeSeconds: number, state: State) {
  const secrets = state.map<string>("secrets");
  const key = Buffer.from(secrets.get("jwt") ?? randomBytes(32).toString("hex"), "hex");
  if (!secrets.has("jwt")) secrets.set("jwt", key.toString("hex"));
  const refreshTokens = state.map<string>("refresh-tokens");

  /** The refresh token is there before this function waits for anything. */
  const issue = async (address: string) => {
    const refreshToken = `r:${randomBytes(24).toString("hex")}`;
    refreshTokens.set(refreshToken, address);
    const now = Date.now() / 1_000;
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(ISSUER)
      .setSubject(address)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetimeSeconds)
      .setJti(randomUUID())
      .sign(key);
    return { token: `jwt:${jwt}`, refreshToken };
  };

  return {
    issue,
    /** Exchanges a refresh token of `address` for a new pair; `undefined` if it is unknown or already used. */
    async refresh(address: string, refreshToken: string) {
      if (refreshTokens.get(refreshToken) !== address) return undefined;
      const issued = issue(address);
      // the new one exists first, so that a process that is killed now leaves one of them
      refreshTokens.delete(refreshToken);
      return issued;
    },
    /** Returns the address that a token was issued to, or `undefined` if it was not issued here or has expired. */
    async subject(token: string): Promise<string | undefined> {
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

/** A message, and who has accepted it already. */
interface Message {
  text: string;
  usedBy: readonly string[];
}

/**
 * Creates the book of messages to sign, and of which of them each user has accepted already. Each message is `prefix`
 * followed by an id. Addresses are normalized.
 */
function createMessageBook(prefix: string, byAddress: StoredMap<readonly Message[]>) {
  const listOf = (address: string) => byAddress.get(address) ?? [];

  const find = (address: string, signature: string) =>
    listOf(address).find(({ text }) => isSignedBy(address, text, signature));

  /** Puts others in the place of a message, or none. */
  const replace = (address: string, message: Message, ...others: readonly Message[]) => {
    const changed = listOf(address).flatMap((one) => (one === message ? others : one));
    byAddress.set(address, changed);
  };

  return {
    /** Returns the message that `address` signs next; it stays the same until it is used. */
    current(address: string): string {
      const messages = listOf(address);
      const last = messages.at(-1);
      if (last && last.usedBy.length === 0) return last.text;
      const text = prefix + randomUUID();
      byAddress.set(address, [...messages.slice(1 - MAX_MESSAGES), { text, usedBy: [] }]);
      return text;
    },
    /**
     * Returns whether `signature` is over a message of `address` that `user` has not accepted before; if so, `user` does
     * not accept it again.
     */
    accept(address: string, signature: string, user: string): boolean {
      const message = find(address, signature);
      if (!message || message.usedBy.includes(user)) return false;
      replace(address, message, { ...message, usedBy: [...message.usedBy, user] });
      return true;
    },
    /** The same for all users at once: none of them accepts the message again. */
    spend(address: string, signature: string): boolean {
      const message = find(address, signature);
      if (!message || message.usedBy.length > 0) return false;
      replace(address, message);
      return true;
    },
  };
}
