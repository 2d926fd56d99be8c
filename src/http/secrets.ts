import { percentDecode } from "./credentials.ts";

/** What of a request may be secret. */
interface SecretParts {
  base: string;
  bearer?: string | undefined;
  json?: unknown;
}

const SECRET_FIELDS = new Set(["signature", "signedMessage", "refreshToken", "key", "index"]);

/** A shorter one, such as the index of a `gf256` shard, says nothing, and would tear words apart. */
const SHORTEST_SECRET = 8;

/** Values that a person gives to get in, such as a code, may be this short. */
const SHORTEST_VALUE = 4;

/** An expression cannot be of any length: of a longer secret this much is looked for, and what follows goes with it. */
const LONGEST_PATTERN = 2_000;

/** What a service must not make us print by repeating it. */
export function collectSecrets({ base, bearer = "", json }: SecretParts): string[] {
  // A one-time token is an address and a secret.
  const secrets = [bearer, ...bearer.split("$").slice(1)];
  if (base.includes("@")) secrets.push(...getPasswordForms(base));
  JSON.stringify(json, (field, value: unknown) => {
    if (SECRET_FIELDS.has(field) && typeof value === "string" && value.length >= SHORTEST_SECRET) secrets.push(value);
    if (field === "dynamicData") secrets.push(...collectLeaves(value));
    return value;
  });
  return secrets;
}

/** As it was given, as it stands in the URL, as it is, and as the header has it. Alone, a user name is a password. */
function getPasswordForms(url: string): string[] {
  const { username, password } = new URL(url);
  const given = /^[^:]*:\/*[^:/?#]*:([^/?#]*)@/.exec(url)?.[1] ?? "";
  const secret = password || username;
  return [given, secret, percentDecode(secret), `${percentDecode(username)}:${percentDecode(password)}`];
}

function collectLeaves(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(collectLeaves);
  const text = String(value);
  return text.length < SHORTEST_VALUE ? [] : [text];
}

/** The text without these secrets, as they are or as a service may encode them, in any case. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const patterns = secrets
    .filter(Boolean)
    .sort((a, b) => b.length - a.length)
    .flatMap(patternsOf);
  return patterns.reduce((left, pattern) => left.replace(new RegExp(pattern, "gi"), "[secret]"), text);
}

/** A secret with each of its characters in any encoding, and in base64 wherever it begins in what is encoded. */
function patternsOf(secret: string): string[] {
  const characters = secret.slice(0, LONGEST_PATTERN).match(/\\+|./gsu) ?? [];
  const rest = secret.length > LONGEST_PATTERN ? "[^]*" : "";
  return [characters.map(characterPattern).join("") + rest, ...base64Patterns(secret)];
}

const HTML_NAMES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/** A character, or a run of backslashes, as it is or as JSON, URLs, forms and HTML encode it, however often in a row. */
function characterPattern(text: string): string {
  if (/^[a-z0-9]/i.test(text)) return text;
  if (text.startsWith("\\"))
    return `(?:\\\\{${text.length},}|(?:%(?:25)*5C|&(?:amp;)*#(?:0*92|x0*5c);){${text.length}})`;
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  const code = text.codePointAt(0) ?? 0;
  const json = JSON.stringify(text).slice(1, -1).replace(/^\\/, "");
  const units = text.split("").map((unit) => `\\\\+u${hex(unit.charCodeAt(0), 4)}`);
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => `%(?:25)*${hex(byte, 2)}`);
  const entities = `#0*${code}|#x0*${hex(code, 1)}|${HTML_NAMES[text] ?? "#"}`;
  const forms = [escaped(text), `\\\\+${escaped(json)}`, units.join(""), bytes.join(""), `&(?:amp;)*(?:${entities});`];
  return `(?:${forms.join("|")}${text === " " ? "|\\+" : ""})`;
}

function escaped(text: string): string {
  return text.replace(/[^\w\s\u0080-\uffff]/g, "\\$&");
}

function base64Patterns(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const start = bytes.subarray(0, LONGEST_PATTERN);
  const rest = bytes.length > LONGEST_PATTERN ? "[^]*" : "";
  const forms = ["", "\0", "\0\0"].map((before) =>
    // Characters at the ends depend on what is beside the secret, too.
    btoa(before + String.fromCharCode(...start))
      .slice(before === "" ? 0 : before.length + 1)
      .replace(/.=+$/, ""),
  );
  // So few characters of base64 stand in any text. In URLs it has other signs (RFC 4648, section 5).
  const long = forms.filter((form) => form.length >= 6);
  return long.map((form) => form.replace(/\+/g, "[+-]").replace(/\//g, "[/_]") + rest);
}
