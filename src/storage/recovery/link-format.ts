import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { invalidLink } from "../../base/errors/verification.ts";
import { isSafeName } from "../../base/validation/file-name.ts";
import { parseChunkProfile } from "../../formats/cid/chunk-profile.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { computeCommitment, verifyCommitment } from "../../formats/crypto/commitment.ts";
import { type KeyRecovery, recoverProvenKey } from "./proven-key.ts";

const VERSION = "1";
const FIELDS = ["keeplight", "cid", "key", "commitment", "name", "chunkProfile"];
const MAX_LINK_CHARACTERS = 8192;
const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** What a share link holds. */
export interface SharedFile {
  /** Of the encrypted file. */
  cid: string;
  /** For `decrypt`. A secret. */
  key: string;
  /** To suggest; the maker of the link chose it. Every platform can write it, and it is not hidden. */
  name?: string;
  /** For `decrypt`: how the encrypted file was split into blocks. */
  chunkProfile?: string;
}

type LinkOptions = KeyRecovery & {
  page: string | URL | undefined;
  name: string | undefined;
  key: string | undefined;
  chunkProfile: string | undefined;
};

export async function formatLink(cid: string, options: LinkOptions): Promise<string> {
  const { name, key, chunkProfile } = options;
  const url = resolvePage(options.page);
  if (name !== undefined && !isSafeName(name)) {
    throw invalidOption("name", "a file name of at most 255 characters that every platform can write, not hidden");
  }
  cid = checkCid(cid);
  const masterKey = key ?? (await recoverProvenKey(cid, options));
  const commitment = await computeCommitment(cid, masterKey);
  const fields = { keeplight: VERSION, cid, key: masterKey, commitment, ...pickDefined({ name, chunkProfile }) };
  url.hash = new URLSearchParams(fields).toString();
  return url.href;
}

export async function readLink(link: string | URL): Promise<SharedFile> {
  const { keeplight, cid, key, commitment, name, chunkProfile } = Object.fromEntries(parseLink(link));
  if (keeplight !== VERSION) throw invalidLink("its version is unknown");
  if (!key || !/^[0-9a-f]{64}$/.test(key)) throw invalidLink("its key is malformed or missing");
  if (!commitment || !/^[0-9a-f]{64}$/.test(commitment)) throw invalidLink("its commitment is malformed or missing");
  if (!isCid(cid)) throw invalidLink("its content id is malformed or missing");
  if (name !== undefined && !isSafeName(name)) throw invalidLink("its file name is not allowed");
  if (chunkProfile !== undefined && !parseChunkProfile(chunkProfile))
    throw invalidLink("its chunk profile is malformed");
  await verifyCommitment(cid, key, commitment);
  return { cid, key, ...pickDefined({ name, chunkProfile }) };
}

/** Throws `INVALID_OPTION`. */
function resolvePage(page: unknown): URL {
  const expected = "an https URL without fragment and credentials (http on this machine)";
  let url: URL;
  try {
    url = new URL(page instanceof URL ? page.href : typeof page === "string" ? page : "");
  } catch {
    throw invalidOption("page", expected);
  }
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOCAL_HOSTS.has(url.hostname));
  if (!isSafe || url.href.includes("#") || url.username || url.password) throw invalidOption("page", expected);
  return url;
}

function pickDefined({ name, chunkProfile }: { name: string | undefined; chunkProfile: string | undefined }) {
  return { ...(name === undefined ? {} : { name }), ...(chunkProfile === undefined ? {} : { chunkProfile }) };
}

/** Returns the fields of the fragment: all known, each once. */
function parseLink(link: unknown): URLSearchParams {
  const text = link instanceof URL ? link.href : link;
  if (typeof text !== "string" || text.length > MAX_LINK_CHARACTERS) throw invalidLink("expected a URL");
  const at = text.indexOf("#");
  if (at < 0) throw invalidLink("it has no fragment: the part from # on was cut off");
  // A key in the query would be sent to the server.
  if (/[?&]key=/.test(text.slice(0, at))) throw invalidLink("a key belongs into the fragment only");
  const fields = new URLSearchParams(text.slice(at + 1));
  const names = [...fields.keys()];
  if (names.some((name) => !FIELDS.includes(name))) throw invalidLink("it has unknown fields");
  if (new Set(names).size < names.length) throw invalidLink("it has a field twice");
  return fields;
}

function isCid(cid: string | undefined): cid is string {
  try {
    return checkCid(cid) === cid;
  } catch (error) {
    if (isKeeplightError(error)) return false;
    throw error;
  }
}
