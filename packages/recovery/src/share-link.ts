import { commitToKey, isKeeplightError, KeeplightError, type RecoverFileKeyOptions } from "keeplight";
import {
  assertMasterKey,
  checkChunkProfile,
  checkCid,
  copyInput,
  invalidOption,
  isSafeName,
  mixedSchema,
  type OptionSchema,
  optional,
  recoverFileKeySchema,
  recoverProvenKey,
  resolveOptions,
  unchecked,
  verifyCommitment,
} from "keeplight/parts";

const VERSION = "1";
const FIELDS = ["keeplight", "cid", "key", "commitment", "name", "chunkProfile"];
const MAX_LINK_CHARACTERS = 8192;
const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Options of {@link createShareLink}. */
export type ShareLinkOptions = (
  | (RecoverFileKeyOptions & { key?: undefined })
  | (Partial<RecoverFileKeyOptions> & {
      /** The file's master key, 64 hex characters. With it no key node is queried and no owner is required. */
      key: string;
    })
) & {
  /**
   * The page that opens the link, which calls `openShareLink`. It must use https, unless it is on this machine, and
   * should load nothing from other sites: every script in it can read the key.
   */
  page: string | URL;
  /**
   * File name to suggest: at most 255 characters, and such that every platform can write it. No path, control character,
   * `< > : " | ? *`, name of a device (`CON`), dot at the start, or dot or space at the end.
   *
   * @default none
   */
  name?: string | undefined;
  /**
   * How the encrypted file was split into blocks, as a recovery kit or the manifest of a folder has it: the
   * recipient of the link can then verify the file even if no gateway sends blocks.
   *
   * @default none
   */
  chunkProfile?: string | undefined;
};

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

const schema = {
  ...recoverFileKeySchema,
  ...mixedSchema,
  // Checked by what makes the link.
  page: unchecked<string | URL>(),
  name: unchecked<string>(),
  key: optional((key) => assertMasterKey(key)),
  chunkProfile: optional(checkChunkProfile),
} satisfies OptionSchema<ShareLinkOptions>;

/**
 * Creates a link that opens an encrypted file without a wallet: `page#keeplight=1&cid=…&key=…&commitment=…`. The
 * key is in the fragment, which browsers do not send to servers. **It cannot be revoked**: everyone who has the link
 * can open the file for good, whether or not the file is shared with them, and everything that handles the link (a
 * chat, a shortener, a synchronised history) has it. For access that ends, use `kavachShare`.
 *
 * @throws `INVALID_CID`, `INVALID_KEY`, `INVALID_OPTION`, `MISSING_OWNER`; what recovering the key throws
 *
 * @example
 * const link = await createShareLink(cid, { signer, page: "https://app.example/open", name: "letter.pdf" });
 */
export async function createShareLink(cid: string, options: ShareLinkOptions): Promise<string> {
  const { page, name, key, chunkProfile, ...recovering } = resolveOptions(schema, options);
  const url = resolvePage(page);
  if (name !== undefined && !isSafeName(name)) {
    throw invalidOption("name", "a file name of at most 255 characters that every platform can write, not hidden");
  }
  cid = checkCid(cid);
  const masterKey = key ?? (await recoverProvenKey(cid, recovering));
  const commitment = await commitToKey(cid, masterKey);
  const fields = { keeplight: VERSION, cid, key: masterKey, commitment, ...pickDefined({ name, chunkProfile }) };
  url.hash = new URLSearchParams(fields).toString();
  return url.href;
}

/**
 * Reads a share link and verifies that its key is the committed key of its file. Nothing is sent.
 *
 * @param link - such as `location.href`; remove the fragment from the page's history afterwards
 * @throws `INVALID_LINK` for anything but a link of {@link createShareLink}, `COMMITMENT_MISMATCH` for one whose key or
 * content id was changed; the errors do not contain the link
 *
 * @example
 * const { cid, key, chunkProfile } = await openShareLink(location.href);
 * const file = await decrypt(cid, { key, chunkProfile, as: "blob" });
 */
export async function openShareLink(link: string | URL): Promise<SharedFile> {
  const { keeplight, cid, key, commitment, name, chunkProfile } = Object.fromEntries(parseLink(copyInput(link)));
  if (keeplight !== VERSION) throw invalidLink("its version is unknown");
  if (!key || !/^[0-9a-f]{64}$/.test(key)) throw invalidLink("its key is malformed or missing");
  if (!commitment || !/^[0-9a-f]{64}$/.test(commitment)) throw invalidLink("its commitment is malformed or missing");
  if (!isAccepted(checkCid, cid)) throw invalidLink("its content id is malformed or missing");
  if (name !== undefined && !isSafeName(name)) throw invalidLink("its file name is not allowed");
  if (chunkProfile !== undefined && !isAccepted(checkChunkProfile, chunkProfile))
    throw invalidLink("its chunk profile is malformed");
  await verifyCommitment(cid, key, commitment);
  return { cid, key, ...pickDefined({ name, chunkProfile }) };
}

/** Throws `INVALID_OPTION`. */
function resolvePage(page: unknown): URL {
  const expected = "an https URL without fragment, credentials and a key in its query (http on this machine)";
  let url: URL;
  try {
    url = new URL(page instanceof URL ? page.href : typeof page === "string" ? page : "");
  } catch {
    throw invalidOption("page", expected);
  }
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOCAL_HOSTS.has(url.hostname));
  if (!isSafe || url.href.includes("#") || hasKeyInQuery(url.href) || url.username || url.password)
    throw invalidOption("page", expected);
  return url;
}

function pickDefined({ name, chunkProfile }: { name: string | undefined; chunkProfile: string | undefined }) {
  return { ...(name === undefined ? {} : { name }), ...(chunkProfile === undefined ? {} : { chunkProfile }) };
}

function hasKeyInQuery(url: string): boolean {
  return /[?&]key=/.test(url);
}

/** Returns the fields of the fragment: all known, each once. */
function parseLink(link: unknown): URLSearchParams {
  const text = link instanceof URL ? link.href : link;
  if (typeof text !== "string" || text.length > MAX_LINK_CHARACTERS) throw invalidLink("expected a URL");
  const at = text.indexOf("#");
  if (at < 0) throw invalidLink("it has no fragment: the part from # on was cut off");
  // A key in the query would be sent to the server.
  if (hasKeyInQuery(text.slice(0, at))) throw invalidLink("a key belongs into the fragment only");
  const fields = new URLSearchParams(text.slice(at + 1));
  const names = [...fields.keys()];
  if (names.some((name) => !FIELDS.includes(name))) throw invalidLink("it has unknown fields");
  if (new Set(names).size < names.length) throw invalidLink("it has a field twice");
  return fields;
}

/** Whether a check accepts a text as it is. */
function isAccepted(check: (text: unknown, name: string) => string, text: string | undefined): text is string {
  try {
    return check(text, "") === text;
  } catch (error) {
    if (isKeeplightError(error)) return false;
    throw error;
  }
}

/** @param problem - which part of the link is wrong; the link itself holds a key, and is never shown */
const invalidLink = (problem: string) => new KeeplightError("INVALID_LINK", `Not a share link: ${problem}`);
