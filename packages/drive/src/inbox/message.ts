import { KeeplightError } from "keeplight";
import { checkAddress, findNameProblem, isSameAddress, recoverSigner } from "keeplight/parts";
import { fromBase64Url, isCount, MAX_TEXT, toHex } from "../fields.ts";
import { encodeFacts, parseFacts } from "../shared-rows.ts";
import { type SharedFacts, toBase64Url } from "../state.ts";

// A message by which an account names the files that it has shared with another one: docs/drive.md.

/** Start of a message, which no link has. */
const PREFIX = "keeplight-files-1.";

const TYPE = "keeplight shared files";
const VERSION = 1;

/** Most files that a message names. */
export const MAX_FILES = 1_000;

/** Longest message, in characters. */
const MAX_MESSAGE = 1_000_000;

/** Latest time that a date can be, in milliseconds since 1970. */
const MAX_TIME = 8_640_000_000_000_000;

/** What a message says. */
export interface SharedFiles {
  /** Address that signs it. */
  from: string;
  /** Address that it is for. */
  to: string;
  /** Milliseconds since 1970. */
  at: number;
  files: readonly SharedFacts[];
}

/** Whether a text is meant to be a message. */
export const isMessage = (text: string): boolean => text.startsWith(PREFIX);

/**
 * Creates a message.
 *
 * @param sign - signs a text by the key of `from` (ERC-191); wallets show the text
 * @throws `INVALID_MESSAGE` if the signature does not prove the address, as that of a contract; what `sign` throws
 */
export async function createMessage(shared: SharedFiles, sign: (text: string) => Promise<string>): Promise<string> {
  const { from, to, at, files } = shared;
  const rows = files.map(encodeFacts);
  const content = JSON.stringify({ type: TYPE, version: VERSION, from, to, at, files: rows });
  const signature = await sign(await toSignedText(shared, content));
  const text = `${PREFIX}${toBase64Url(new TextEncoder().encode(content))}.${signature.toLowerCase()}`;
  await readMessage(text, to);
  return text;
}

/**
 * Reads a message, and checks who signed it. Nothing is sent.
 *
 * @param account - address that reads it
 * @throws `INVALID_MESSAGE` for anything but a message to this account that its sender has signed
 */
export async function readMessage(text: string, account: string): Promise<SharedFiles> {
  if (text.length > MAX_MESSAGE) throw invalidMessage("it is too long");
  const [encoded = "", signature = "", ...rest] = text.slice(PREFIX.length).split(".");
  if (!isMessage(text) || rest.length > 0) throw invalidMessage("it is no message of shared files");
  const content = decode(encoded);
  const shared = parseContent(content);
  if (!isSameAddress(account, shared.to)) throw invalidMessage("it is for another account");
  const signer = await recoverSigner(await toSignedText(shared, content), signature);
  if (signer === undefined || !isSameAddress(shared.from, signer)) {
    throw invalidMessage("the account that it names as its sender has not signed it");
  }
  return shared;
}

function decode(encoded: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(fromBase64Url(encoded));
  } catch {
    throw invalidMessage("a part of it is missing");
  }
}

function parseContent(content: string): SharedFiles {
  const { type, version, from, to, at, files } = parseJson(content);
  if (type !== TYPE) throw invalidMessage("it is no message of shared files");
  if (version !== VERSION) throw invalidMessage("a later version of this package wrote it");
  if (!isAddress(from) || !isAddress(to) || !isCount(at) || at > MAX_TIME) throw invalidMessage("it is malformed");
  if (!Array.isArray(files) || files.length === 0 || files.length > MAX_FILES) {
    throw invalidMessage(`it names no files, or more than ${MAX_FILES}`);
  }
  const parsed = files.map(parseFacts);
  const named = parsed.flatMap((file) => (file && isPath(file.name) ? [file] : []));
  if (named.length < files.length) throw invalidMessage("a file of it is malformed");
  return { from, to, at, files: named };
}

function parseJson(content: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(content)) as Record<string, unknown>;
  } catch {
    throw invalidMessage("it is not JSON");
  }
}

/** Whether a value is an address as messages have it: of Ethereum in lower case. */
function isAddress(value: unknown): value is string {
  try {
    return checkAddress(value) === value;
  } catch {
    return false;
  }
}

/** Whether a name, with its folders, can be that of a file. */
export function isPath(name: string): boolean {
  return name.length <= MAX_TEXT && name.split("/").every((part) => findNameProblem(part) === undefined);
}

/** What the wallet of the sender shows and signs: nothing that any service takes for a sign-in. */
async function toSignedText({ from, to, at, files }: SharedFiles, content: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(content)));
  return [
    "Keeplight files that I have shared",
    "",
    `With: ${to}`,
    `From: ${from}`,
    `Date: ${new Date(at).toISOString()}`,
    `Number of files: ${files.length}`,
    `SHA-256 of the list: ${toHex(digest)}`,
  ].join("\n");
}

const invalidMessage = (problem: string) =>
  new KeeplightError("INVALID_MESSAGE", `The message about shared files cannot be used: ${problem}`, {
    details: { problem },
  });
