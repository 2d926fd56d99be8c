import { printable } from "./printable.ts";

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
 */
export function readProviderError(error: unknown): ProviderError {
  const layers = unwrapLayers(error);
  const codes = layers.map((layer) => layer["code"]).filter((code) => typeof code === "number");
  const rejected = layers.some((layer) => REJECTIONS.includes(layer["code"]));
  const messages = layers
    .map((layer) => layer["shortMessage"] ?? layer["message"])
    .filter((text) => typeof text === "string");
  const data = layers.map((layer) => layer["data"]).find(isHex);
  return {
    code: rejected ? REJECTED : codes.at(-1),
    message: sanitizeServerText(messages.at(-1) ?? "no reason was given"),
    data,
  };
}

/** Whether the user rejected the request. */
export function isRejection({ code }: ProviderError): boolean {
  return code === REJECTED;
}

/** Makes a foreign message short and printable, and removes anything as long as a key. */
export function sanitizeServerText(text: string): string {
  const clean = printable(text).replace(/(0x)?[0-9a-fA-F]{64,}/g, "[hex]");
  return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS)}…` : clean;
}

/** The little that may be kept as the `cause` of an error of this kit. */
export function toSafeCause({ code, message }: ProviderError): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

/** Returns the error and those it wraps, outermost first. */
function unwrapLayers(error: unknown, depth = 0): Record<string, unknown>[] {
  if (typeof error !== "object" || error === null || depth > 5) {
    return typeof error === "string" && depth === 0 ? [{ message: error }] : [];
  }
  const layer = error as Record<string, unknown>;
  const info = layer["info"] as Record<string, unknown> | null | undefined;
  const inner = [layer["cause"], layer["error"], info?.["error"], layer["data"], layer["originalError"]];
  return [layer, ...inner.flatMap((wrapped) => (typeof wrapped === "string" ? [] : unwrapLayers(wrapped, depth + 1)))];
}

function isHex(value: unknown): value is string {
  return typeof value === "string" && /^0x([0-9a-fA-F]{2}){4,4096}$/.test(value);
}
