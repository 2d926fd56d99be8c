/** The parts of a request that may be secret. */
interface SecretParts {
  base: string;
  bearer?: string | undefined;
  json?: unknown;
  secrets?: readonly string[] | undefined;
}

const SECRET_FIELDS = new Set(["signature", "signedMessage", "refreshToken", "key", "index"]);

/** The removal of a shorter one, which may be a word, would garble messages. */
const MIN_SECRET_LENGTH = 16;

/** Longer parts of the network's own messages, which remain even if somebody uses one as a secret. */
const OWN_TEXTS = [
  "invalid signature",
  "can't recover key",
  "request timed out",
  "http error! status: ",
  "keyshards must be an array of 5 objects",
  "condition validation error: ",
  "proof doesn't exist yet",
  "request failed with status code ",
  "no json array found in response",
  "invalid json response",
  "error encrypting file",
  "failed to get ticker price: ",
  "unsupported network!!!",
  "token not provided!!!",
  "private key not found!!!",
  "invalid public key",
  "duplicate file name found: ",
  "auth_token must be a jwt",
];

/** Regular expressions have a limited length: matches this much of a longer secret, and removes all that follows it. */
const MAX_PATTERN_LENGTH = 2_000;

/** Collects what must not be printed if a service repeats it. */
export function collectSecrets({ base, bearer = "", json, secrets: others = [] }: SecretParts): string[] {
  // A one-time token is an address and a secret.
  const secrets = [bearer, ...bearer.split("$").slice(1), ...others];
  if (base.includes("@")) secrets.push(...getPasswordForms(base));
  JSON.stringify(json, (field, value: unknown) => {
    if (SECRET_FIELDS.has(field) && typeof value === "string") secrets.push(value);
    if (field === "dynamicData") secrets.push(...collectLeaves(value));
    return value;
  });
  return secrets;
}

/** The password as passed, as the URL encodes it, decoded, and as in the header. A lone user name is a password. */
function getPasswordForms(url: string): string[] {
  const { username, password } = new URL(url);
  const raw = /^[^:]*:\/*[^:/?#]*:([^/?#]*)@/.exec(url)?.[1] ?? "";
  const secret = password || username;
  const pair = `${percentDecode(username)}:${percentDecode(password)}`;
  return [raw, secret, percentDecode(secret), pair, basicAuthorization(url) ?? ""];
}

/** Returns what may be an API key: the segments of the path, and the values of the query. */
export function getKeysOfUrl({ pathname, searchParams }: URL): string[] {
  return [...pathname.split("/").map(percentDecode), ...searchParams.values()];
}

function collectLeaves(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(collectLeaves);
  return [String(value)];
}

/** Removes these secrets from a message, plain or as a service may encode them, in any case. Keeps short ones. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // Encoding a secret never shortens it, and most texts are short.
  const fits = ({ length }: string) =>
    length >= MIN_SECRET_LENGTH && text.length >= Math.min(length, MAX_PATTERN_LENGTH);
  const isOwnText = (secret: string) => OWN_TEXTS.some((own) => own.includes(secret.toLowerCase()));
  const patterns = secrets
    .filter((secret) => fits(secret) && !isOwnText(secret))
    .sort((a, b) => b.length - a.length)
    .flatMap(toPatterns);
  return patterns.reduce((rest, pattern) => rest.replace(new RegExp(pattern, "gi"), "[secret]"), text);
}

/** Matches a secret with each of its characters in any encoding, and in base64 at any offset of the encoded bytes. */
function toPatterns(secret: string): string[] {
  const characters = secret.slice(0, MAX_PATTERN_LENGTH).match(/\\+|./gsu) ?? [];
  const rest = secret.length > MAX_PATTERN_LENGTH ? "[^]*" : "";
  return [characters.map(toCharacterPattern).join("") + rest, ...toBase64Patterns(secret)];
}

const HTML_NAMES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/**
 * Matches a character, or a run of backslashes, plain or as JSON, URLs, forms and HTML encode it, even repeatedly. Runs have a
 * limit: a text of nothing else would take seconds.
 */
function toCharacterPattern(text: string): string {
  if (/^[a-z0-9]/i.test(text)) return text;
  if (text.startsWith("\\"))
    return `(?:\\\\{${text.length},${text.length + 99}}|(?:%(?:25)*5C|&(?:amp;)*#(?:0*92|x0*5c);){${text.length}})`;
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  const code = text.codePointAt(0) ?? 0;
  const json = JSON.stringify(text).slice(1, -1).replace(/^\\/, "");
  const units = text.split("").map((unit) => `\\\\{1,99}u${hex(unit.charCodeAt(0), 4)}`);
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => `%(?:25)*${hex(byte, 2)}`);
  const entities = `#0*${code}|#x0*${hex(code, 1)}|${HTML_NAMES[text] ?? "#"}`;
  const forms = [
    escapeRegExp(text),
    `\\\\{1,99}${escapeRegExp(json)}`,
    units.join(""),
    bytes.join(""),
    `&(?:amp;)*(?:${entities});`,
  ];
  return `(?:${forms.join("|")}${text === " " ? "|\\+" : ""})`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[^\w\s\u0080-\uffff]/g, "\\$&");
}

function toBase64Patterns(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const start = bytes.subarray(0, MAX_PATTERN_LENGTH);
  const rest = bytes.length > MAX_PATTERN_LENGTH ? "[^]*" : "";
  const forms = ["", "\0", "\0\0"].map((before) =>
    // Characters at the ends also depend on the bytes beside the secret.
    btoa(before + String.fromCharCode(...start))
      .slice(before === "" ? 0 : before.length + 1)
      .replace(/.=+$/, ""),
  );
  // Shorter base64 occurs in any text. Base64url has other signs (RFC 4648, section 5).
  const long = forms.filter((form) => form.length >= 6);
  return long.map((form) => form.replace(/\+/g, "[+-]").replace(/\//g, "[/_]") + rest);
}

export function withoutCredentials(url: string): string {
  if (!url.includes("@")) return url;
  const parsed = new URL(url);
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

/** Returns `Basic` authorization (RFC 7617) for the credentials of a URL: fetch refuses URLs that hold them. */
export function basicAuthorization(url: string): string | undefined {
  if (!url.includes("@")) return undefined;
  const { username, password } = new URL(url);
  if (username === "" && password === "") return undefined;
  const bytes = new TextEncoder().encode(`${percentDecode(username)}:${percentDecode(password)}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Percent signs that encode nothing stay as they are. */
function percentDecode(text: string): string {
  return new URLSearchParams(`=${text.replace(/[+&]/g, encodeURIComponent)}`).get("") ?? "";
}
