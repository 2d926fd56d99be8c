import { KeeplightError } from "keeplight";
import { findNameProblem, invalidOption } from "keeplight/parts";
import { fromBase64Url, isBase64Url, isCid, isShortText, MAX_TEXT } from "../fields.ts";
import { createLinkSecret, isSealedSecret, openSealedSecret, readSecret } from "./link-secret.ts";

// A link that can be ended: docs/drive.md has the format. Its secret is that of a throwaway account, which the file is shared with.

const VERSION = "2";
/** Longest link, in characters. */
export const MAX_LINK = 8_192;
const MAX_PAGE = 2_048;

/** Latest time that a date can be, in milliseconds since 1970. */
const MAX_TIME = 8_640_000_000_000_000;

/** Of 32 bytes in base64url. */
const CHECK_LENGTH = 43;
const FIELDS = ["keeplight", "cid", "secret", "commitment", "chunkProfile", "name", "endsAt", "check"];
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** What a link says of its file. */
export interface LinkFacts {
  /** Content id. */
  cid: string;
  /** As its owner calls the file. */
  name: string;
  /** What `commitToKey` returns for its key, 64 hex characters. */
  commitment?: string | undefined;
  /** How the encrypted file was split into blocks. */
  chunkProfile?: string | undefined;
  /** When the link ends, in milliseconds since 1970, if it does by itself. */
  endsAt?: number | undefined;
}

/**
 * Formats a new link.
 *
 * @param page - where it is opened
 * @returns the link, and the private key of its account
 * @throws `INVALID_OPTION`
 */
export async function formatLink(page: unknown, facts: LinkFacts, password: string | undefined) {
  const url = checkPage(page);
  const secret = await createLinkSecret(facts.cid, password);
  const fields = toFields(facts);
  const check = await secret.sign(toChecked(fields));
  url.hash = new URLSearchParams({ keeplight: VERSION, secret: secret.text, ...fields, check }).toString();
  parseLink(url);
  return { link: url.href, privateKey: secret.privateKey };
}

/**
 * Reads a link, and verifies that all of it was made by who has its secret.
 *
 * @returns what it says of its file, and the private key of its account
 * @throws `INVALID_LINK`, also for one that has ended; `INVALID_OPTION` if it needs a password, and there is none
 */
export async function readLink(link: unknown, password: string | undefined, now: number) {
  const { fields, secret, check, facts } = parseLink(link);
  const opened = isSealedSecret(secret)
    ? await openSealedSecret(facts.cid, secret, password)
    : await readSecret(secret);
  if (!opened) throw invalidLink("its password is another one, or it was changed");
  if (!(await opened.verify(toChecked(fields), check))) throw invalidLink("it was changed");
  if (facts.endsAt !== undefined && facts.endsAt <= now) throw invalidLink("it has ended");
  return { facts, privateKey: opened.privateKey };
}

/** Reads what a link says of its file, whoever made it. Throws `INVALID_LINK`. */
export function parseLink(link: unknown) {
  const text = link instanceof URL ? link.href : link;
  if (typeof text !== "string" || text.length > MAX_LINK) throw invalidLink("expected a URL");
  const at = text.indexOf("#");
  if (at < 0) throw invalidLink("it has no fragment: the part from # on was cut off");
  const params = new URLSearchParams(text.slice(at + 1));
  const names = [...params.keys()];
  if (new Set(names).size < names.length || names.some((name) => !FIELDS.includes(name))) {
    throw invalidLink("it has fields that are unknown, or there twice");
  }
  const { keeplight, secret = "", check = "", ...fields } = Object.fromEntries(params);
  if (keeplight !== VERSION) throw invalidLink("its version is unknown");
  const { cid, name, commitment, chunkProfile, endsAt } = fields;
  if (!isCid(cid)) throw invalidLink("its content id is malformed or missing");
  if (!name || name.length > MAX_TEXT || findNameProblem(name))
    throw invalidLink("its file name is not allowed, or missing");
  if (commitment !== undefined && !/^[0-9a-f]{64}$/.test(commitment)) throw invalidLink("its commitment is malformed");
  if (!isShortText(chunkProfile ?? null)) throw invalidLink("its chunk profile is too long");
  const end = endsAt === undefined ? undefined : Number(endsAt);
  if (endsAt !== undefined && !(/^[1-9]\d*$/.test(endsAt) && Number(endsAt) <= MAX_TIME)) {
    throw invalidLink("its end is malformed");
  }
  if (check.length !== CHECK_LENGTH || !isBase64Url(check)) throw invalidLink("its check is malformed or missing");
  if (!isBase64Url(secret)) throw invalidLink("its secret is malformed or missing");
  const facts: LinkFacts = { cid, name, commitment, chunkProfile, endsAt: end };
  return { fields, secret, check: fromBase64Url(check), facts };
}

/** Whether a text is a link that can be ended. */
export function isLink(text: unknown): text is string {
  try {
    return Boolean(parseLink(text));
  } catch {
    return false;
  }
}

function toFields({ cid, name, commitment, chunkProfile, endsAt }: LinkFacts): Record<string, string> {
  return {
    cid,
    name,
    ...(commitment !== undefined && { commitment }),
    ...(chunkProfile !== undefined && { chunkProfile }),
    ...(endsAt !== undefined && { endsAt: String(endsAt) }),
  };
}

/** The text that the check is of: all fields but the secret, in one order. */
function toChecked(fields: Readonly<Record<string, string>>): string {
  return JSON.stringify(["cid", "name", "commitment", "chunkProfile", "endsAt"].map((field) => fields[field] ?? null));
}

/** Throws `INVALID_OPTION`. */
function checkPage(page: unknown): URL {
  const expected = `an https URL without fragment and credentials (http on this machine), of at most ${MAX_PAGE} characters`;
  const text = page instanceof URL ? page.href : page;
  if (typeof text !== "string" || !URL.canParse(text)) throw invalidOption("page", expected);
  const url = new URL(text);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOCAL_HOSTS.includes(url.hostname));
  if (!isSafe || url.href.includes("#") || url.href.length > MAX_PAGE || url.username || url.password)
    throw invalidOption("page", expected);
  return url;
}

const invalidLink = (problem: string) => new KeeplightError("INVALID_LINK", `Not a share link: ${problem}`);
