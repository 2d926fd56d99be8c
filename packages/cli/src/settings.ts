import { mkdir, readFile } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { isAbsolute, join } from "node:path";
import { env } from "node:process";
import type { EndpointOptions, PaymentNetwork } from "keeplight";
import { UsageError } from "./frame/failure.ts";

/** What the configuration file and the environment set. Never a secret. */
export interface Settings {
  /** Base URLs to use instead of the public network's. */
  endpoints?: EndpointOptions;
  /** Milliseconds between requests to two key nodes. */
  pauseMs?: number;
  /** Path of a keystore (Web3 Secret Storage) whose key signs. */
  keystore?: string;
  /** Rows of chains besides those of keeplight, by name. */
  networks?: Readonly<Record<string, PaymentNetwork>>;
  /** JSON-RPC URLs of chains that conditions name. */
  rpc?: Readonly<Record<string, string>>;
}

const NAMES = ["endpoints", "pauseMs", "keystore", "networks", "rpc"];

const SERVICES = {
  api: "KEEPLIGHT_API_URL",
  upload: "KEEPLIGHT_UPLOAD_URL",
  walrusUpload: "KEEPLIGHT_WALRUS_UPLOAD_URL",
  walrusGateway: "KEEPLIGHT_WALRUS_GATEWAY_URL",
  x402: "KEEPLIGHT_X402_URL",
  gateway: "KEEPLIGHT_GATEWAY_URL",
  keyNodes: "KEEPLIGHT_KEY_NODES_URL",
} as const;

/** Reads the configuration file, if there is one; the environment takes precedence. */
export async function readSettings(): Promise<Settings> {
  const file = await readConfigFile();
  const endpoints: EndpointOptions = { ...file.endpoints };
  for (const [service, variable] of Object.entries(SERVICES)) {
    const value = env[variable];
    if (!value) continue;
    const urls = value.split(",").map((url) => url.trim());
    Object.assign(endpoints, { [service]: service === "gateway" && urls.length > 1 ? urls : value });
  }
  const { KEEPLIGHT_PAUSE_MS: pause, KEEPLIGHT_KEYSTORE: keystore } = env;
  return { ...file, endpoints, ...(pause ? { pauseMs: Number(pause) } : {}), ...(keystore ? { keystore } : {}) };
}

async function readConfigFile(): Promise<Settings> {
  const named = env["KEEPLIGHT_CONFIG"];
  const path = named || join(getConfigFolder(), "config.json");
  const text = await readFile(path, "utf8").catch(({ code }: NodeJS.ErrnoException) => {
    if (!named && code === "ENOENT") return undefined;
    throw invalid(path, `cannot be read (${code})`);
  });
  if (text === undefined) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid(path, "is not JSON");
  }
  if (!isRecord(parsed)) throw invalid(path, "is not an object");
  const unknown = Object.keys(parsed).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    const secret = /key|secret|token|password|phrase|mnemonic/i.test(unknown) ? ": secrets do not belong there" : "";
    throw invalid(path, `has the unknown field ${unknown}${secret}`, `It may have: ${NAMES.join(", ")}.`);
  }
  const problem = checkConfig(parsed, "");
  if (problem !== undefined) throw invalid(path, `needs ${problem}`);
  // The package checks endpoints, before it sends anything.
  return parsed as Settings;
}

function invalid(path: string, problem: string, hint?: string): UsageError {
  return new UsageError(`The configuration ${path} ${problem}`, "INVALID_CONFIG", hint);
}

/**
 * Returns what a value should hold, with its article, and where: `an EVM address as networks.devnet.contract`. Values are
 * never repeated: URLs may contain API keys.
 */
type Check = (value: unknown, field: string) => string | undefined;

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isWhole =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
const isUrl = (value: unknown) => typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value);
const isAddress = (value: unknown) => typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);

const url = matches("an http or https URL", isUrl);
const address = matches("an EVM address", isAddress);
const decimals = matches("a whole number from 0 to 77", isWhole(0, 77));
const fromOne = matches("a whole number from 1 on", isWhole(1));

const token = record("an object with address and decimals", { address, decimals });

const network = record("an object, such as a row of keeplight's `networks`", {
  symbol: matches("the symbol of the chain's coin", isText),
  decimals,
  rpc: url,
  moreRpcs: optional(record("a list of http or https URLs", url, Array.isArray)),
  scan: matches("a string, which may be empty", (value) => typeof value === "string"),
  chain_id: fromOne,
  confirmations: optional(fromOne),
  contract: address,
  tokens: record("an object of usdc, usdt and dai, each of which may be left out", {
    usdc: optional(token),
    usdt: optional(token),
    dai: optional(token),
  }),
  opStack: optional(matches("true or false", (value) => typeof value === "boolean")),
});

const checkConfig = record("an object", {
  keystore: optional(matches("a path", isText)),
  pauseMs: optional(matches("a number of milliseconds from 0 on", (value) => typeof value === "number" && value >= 0)),
  networks: optional(record("an object of networks by name", network)),
  rpc: optional(record("an object of http or https URLs by the name of the chain", url)),
});

function matches(expected: string, isValid: (value: unknown) => boolean): Check {
  return (value, field) => (isValid(value) ? undefined : `${expected} as ${field}`);
}

function optional(check: Check): Check {
  return (value, field) => (value === undefined ? undefined : check(value, field));
}

/** Checks fields of an object, each in its own way; with one check for all, every value of an object or a list. */
function record(
  expected: string,
  checks: Readonly<Record<string, Check>> | Check,
  isValid: (value: unknown) => boolean = isRecord,
): Check {
  return (value, field) => {
    if (!isValid(value)) return `${expected} as ${field}`;
    const values = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(typeof checks === "function" ? values : checks)) {
      const check = typeof checks === "function" ? checks : checks[name];
      const problem = check?.(values[name], field === "" ? name : `${field}.${name}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The folder of the configuration, according to the XDG Base Directory Specification. */
const getConfigFolder = () => locate("XDG_CONFIG_HOME", "APPDATA", ".config");

/** The folder of what is kept from run to run: the journal and the login. */
export const getStateFolder = () => locate("XDG_STATE_HOME", "LOCALAPPDATA", join(".local", "state"));

/** Creates the folder of the state, which only this user can read; returns its path. Throws `CANNOT_WRITE`. */
export async function makeStateFolder(): Promise<string> {
  const folder = getStateFolder();
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (error: unknown) => {
    const { cannotWrite } = await import("keeplight/parts");
    throw cannotWrite(folder, error);
  });
  return folder;
}

/** Writes a file of mode 0600 to the folder of the state: whole or not at all. Returns its path. Throws `CANNOT_WRITE`. */
export async function writePrivateFile(name: string, text: string): Promise<string> {
  const path = join(await makeStateFolder(), name);
  const { replaceFile, withWriteErrors } = await import("keeplight/parts/node");
  await withWriteErrors(path, () => replaceFile(path, new TextEncoder().encode(text), { durable: true }));
  return path;
}

function locate(variable: string, onWindows: string, belowHome: string): string {
  const named = env[variable] || (platform() === "win32" ? env[onWindows] : undefined);
  // The specification ignores relative paths.
  if (named && isAbsolute(named)) return join(named, "keeplight");
  return join(findHome(variable), belowHome, "keeplight");
}

function findHome(variable: string): string {
  try {
    const home = homedir();
    if (isAbsolute(home)) return home;
  } catch {
    // This user has no entry in the system's list.
  }
  throw new UsageError(`There is no home folder: set HOME or ${variable}`, "NO_HOME");
}
