import { type ErrorCode, isKeeplightError, KeeplightError, printable } from "./base.ts";
import type { NodeFailure, RequestFacts } from "./details/input-and-requests.ts";

/** How the key nodes refuse a JWT or a signature: with this message, whatever the status. */
const SIGNATURE_REFUSED = "Invalid Signature";

export const invalidSignature = (cause?: unknown) =>
  new KeeplightError("INVALID_SIGNATURE", SIGNATURE_REFUSED, { cause });

const EXCERPT_CHARACTERS = 80;

/**
 * A service requested a signature of something other than its own sign-in message; it was not signed.
 *
 * @param isOfOther - whether it signs in to another service: nothing can accept that
 */
export function unexpectedMessage(text: string, isOfOther: boolean): KeeplightError {
  const excerpt = text.slice(0, EXCERPT_CHARACTERS).replace(/[^\x20-\x7e]/g, "?");
  const message = isOfOther
    ? "The service requested a signature of another service's sign-in message, which was not signed"
    : "The service requested a signature of an unknown message, which was not signed; acceptMessage can accept it";
  return new KeeplightError("UNEXPECTED_MESSAGE", message, { details: { excerpt, length: text.length } });
}

/** The files are stored, and saving the shards of their keys failed. */
export const shardsNotSaved = (cause: unknown) =>
  new KeeplightError("SHARDS_NOT_SAVED", "Error encrypting file", { cause });

export const cidNotFound = (cid: string, nodes: readonly NodeFailure[] = []) =>
  new KeeplightError("CID_NOT_FOUND", "cid not found", { details: { cid, nodes } });

/** @param message - the node's own, however deep it is nested in the response */
export const nodeRefused = (facts: RequestFacts, status: number, message: string, retryAfterSeconds?: number) =>
  new KeeplightError("NODE_REFUSED", message, {
    details: { ...facts, status, reason: message === SIGNATURE_REFUSED ? "signature" : undefined, retryAfterSeconds },
  });

const NODE_FAULTS = new Set<ErrorCode>([
  "NETWORK",
  "TIMEOUT",
  "HTTP_STATUS",
  "INVALID_JSON",
  "INVALID_RESPONSE",
  "RESPONSE_TOO_LARGE",
  "NODE_REFUSED",
]);

/** Whether a call failed because of the nodes, not because of the caller. */
export function isNodeFault({ code }: KeeplightError): boolean {
  return NODE_FAULTS.has(code);
}

/** Whether a sign-in failed because of the nodes: theirs is the message of a refusal as well if they fail. */
export function isSignInFault(error: KeeplightError): boolean {
  if (error.code !== "INVALID_SIGNATURE") return isNodeFault(error);
  return isKeeplightError(error.cause) && Number(error.cause.details["status"]) >= 500;
}

/** Whether one node failed at its own request: the sign-in worked, and the other nodes may succeed. */
export function isSingleNodeFault(error: KeeplightError): boolean {
  return isNodeFault(error) && error.details["node"] !== undefined;
}

/** The first to write a file's shard to a node that does not know the file becomes its owner there. */
export const notOwner = (cid: string) =>
  new KeeplightError("NOT_OWNER", "Only the owner of a file may repair its key", { details: { cid } });

export function nodesFailed(
  needed: number,
  got: number,
  nodes: readonly NodeFailure[],
  cause: unknown,
): KeeplightError {
  const reasons = nodes.map(({ node, message }) => `node ${node}: ${message}`).join("; ");
  return new KeeplightError(
    "NODES_FAILED",
    `Only ${got} of the ${needed} key shards needed could be fetched (${reasons})`,
    { details: { needed, got, nodes }, cause },
  );
}

export const cannotRecoverKey = (details: Record<string, unknown>) =>
  new KeeplightError("CANNOT_RECOVER_KEY", "can't recover Key", { details });

/** What is kept of an error of a wallet, a signer or a node. */
export interface ProviderError {
  /** Of JSON-RPC or EIP-1193. */
  code: number | undefined;
  /** Its own, shortened; nothing in it can be a key. */
  message: string;
  /** What a contract reverted with, in hex. */
  data: string | undefined;
}

const MAX_CHARACTERS = 200;
const REJECTED = 4001;

/** Codes of a rejection by the user: of EIP-1193, WalletConnect and ethers. */
const REJECTIONS: readonly unknown[] = [REJECTED, 5000, "ACTION_REJECTED"];

/**
 * Reads an error of unknown origin. Libraries wrap a node's response in errors of their own, several deep, and put whole
 * transactions into their messages: this takes the innermost message, without long hex.
 *
 * @param redact - removes secrets from the message, before it is shortened
 */
export function readProviderError(error: unknown, redact = (text: string): string => text): ProviderError {
  const layers = unwrapLayers(error);
  const codes = layers.map((layer) => layer["code"]).filter((code) => typeof code === "number");
  const rejected = layers.some((layer) => REJECTIONS.includes(layer["code"]));
  const messages = layers
    .map((layer) => layer["shortMessage"] ?? layer["message"])
    .filter((text) => typeof text === "string");
  const data = layers.map((layer) => layer["data"]).find(isHex);
  return {
    code: rejected ? REJECTED : codes.at(-1),
    message: sanitizeServerText(redact(messages.at(-1) ?? "no reason was given")),
    data,
  };
}

/** Whether the user rejected the request. */
export function isRejection({ code }: ProviderError): boolean {
  return code === REJECTED;
}

/** Makes a foreign message short and printable, and removes anything as long as a key. */
export function sanitizeServerText(text: string): string {
  // Paths of URLs hold API keys.
  const withoutPaths = printable(text).replace(/\b((?:https?|wss?):\/\/)(?:[^\s/@]*@)?([^\s/"'?#]+)[^\s"']*/gi, "$1$2");
  const clean = withoutPaths.replace(/(0x)?[0-9a-fA-F]{64,}/g, "[hex]");
  return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS)}…` : clean;
}

/** The little that may be kept as the `cause` of an error of this kit. */
export function toSafeCause({ code, message }: ProviderError): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

type Layer = Readonly<Partial<Record<string, unknown>>>;

/** Returns the error and those it wraps, outermost first; nothing of one that cannot be read. */
function unwrapLayers(error: unknown): Layer[] {
  try {
    return listLayers(error);
  } catch {
    return [];
  }
}

function listLayers(error: unknown, depth = 0): Layer[] {
  if (typeof error !== "object" || error === null || depth > 5) {
    return typeof error === "string" && depth === 0 ? [{ message: error }] : [];
  }
  // Each read once, and here: a getter may throw.
  const { code, message, shortMessage, data, cause, info, originalError, error: wrapped } = error as Layer;
  const inner = [cause, wrapped, Object(info)["error"], data, originalError];
  const layers = inner.flatMap((each) => (typeof each === "string" ? [] : listLayers(each, depth + 1)));
  return [{ code, message, shortMessage, data }, ...layers];
}

function isHex(value: unknown): value is string {
  return typeof value === "string" && /^0x([0-9a-fA-F]{2}){4,4096}$/.test(value);
}
