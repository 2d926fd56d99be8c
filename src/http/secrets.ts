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
export function secretsOf({ base, bearer = "", json }: SecretParts): string[] {
  // A one-time token is an address and a secret.
  const secrets = [bearer, ...bearer.split("$").slice(1)];
  if (base.includes("@")) secrets.push(...passwordOf(base));
  JSON.stringify(json, (field, value: unknown) => {
    if (SECRET_FIELDS.has(field) && typeof value === "string" && value.length >= SHORTEST_SECRET) secrets.push(value);
    if (field === "dynamicData") secrets.push(...leavesOf(value));
    return value;
  });
  return secrets;
}

/** As it was given, as it stands in the URL, and as it is. */
function passwordOf(url: string): string[] {
  const { password } = new URL(url);
  const given = /^[^:]*:\/*[^:/?#]*:([^/?#]*)@/.exec(url)?.[1] ?? "";
  return [given, password, new URLSearchParams(`=${password.replace(/[+&]/g, encodeURIComponent)}`).get("") ?? ""];
}

function leavesOf(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leavesOf);
  const text = String(value);
  return text.length < SHORTEST_VALUE ? [] : [text];
}

/** The text without these secrets, as they are or as a service may encode them, in any case. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets
    .filter(Boolean)
    .flatMap(formsOf)
    .sort((a, b) => b.length - a.length);
  return longestFirst.reduce((left, form) => left.replace(new RegExp(patternOf(form), "gi"), "[secret]"), text);
}

function patternOf(form: string): string {
  const escaped = form.slice(0, LONGEST_PATTERN).replace(/\W/g, "\\$&");
  // In URLs base64 has other signs (RFC 4648, section 5).
  const inBoth = escaped.replace(/\\\+/g, "[+-]").replace(/\\\//g, "[/_]");
  return form.length > LONGEST_PATTERN ? `${inBoth}[^]*` : inBoth;
}

/** A secret as it is, as in JSON, as in a URL, and in base64 wherever it begins in what is encoded. */
function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret).subarray(0, LONGEST_PATTERN);
  const base64 = ["", "\0", "\0\0"].map((before) =>
    // Characters at the ends depend on what is beside the secret, too.
    btoa(before + String.fromCharCode(...bytes))
      .slice(before === "" ? 0 : before.length + 1)
      .replace(/.=+$/, ""),
  );
  const inText = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(new TextDecoder().decode(bytes))];
  // So few characters of base64 stand in any text.
  return [...inText, ...base64.filter((form) => form.length >= 6)];
}
