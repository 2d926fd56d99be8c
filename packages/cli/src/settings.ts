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
  return {
    ...file,
    endpoints,
    ...(pause ? { pauseMs: Number(pause) } : {}),
    ...(keystore ? { keystore } : {}),
  };
}

async function readConfigFile(): Promise<Settings> {
  const named = env["KEEPLIGHT_CONFIG"];
  const path = named || join(getConfigFolder(), "config.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (!named && (error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw invalid(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return parseConfig(path, text);
}

function parseConfig(path: string, text: string): Settings {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid(path, "is not JSON");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw invalid(path, "is not an object");
  const unknown = Object.keys(parsed).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    const secret = /key|secret|token|password|phrase|mnemonic/i.test(unknown) ? ": secrets do not belong there" : "";
    throw invalid(path, `has the unknown field ${unknown}${secret}`, `It may have: ${NAMES.join(", ")}.`);
  }
  const problem = findConfigProblem(parsed as Record<string, unknown>);
  if (problem) throw invalid(path, `needs ${problem.expected} as ${problem.field}`);
  // The package checks endpoints, before it sends anything.
  return parsed as Settings;
}

function invalid(path: string, problem: string, hint?: string): UsageError {
  return new UsageError(`The configuration ${path} ${problem}`, {
    code: "INVALID_CONFIG",
    ...(hint === undefined ? {} : { hint }),
  });
}

/** A field of the configuration that does not hold what it should. */
interface ConfigProblem {
  /** Its path: `networks.devnet.tokens.usdc.decimals`. */
  field: string;
  /** What it should hold, with its article. */
  expected: string;
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown, field: string) => ConfigProblem | undefined;

/**
 * Finds the first field that does not hold what it should. Values are never repeated: URLs may contain API keys.
 *
 * @param config - fields of the configuration file
 */
function findConfigProblem(config: Fields): ConfigProblem | undefined {
  return checkFields(config, "", {
    keystore: optional(matches("a path", isText)),
    pauseMs: optional(matches("a number of milliseconds from 0 on", isFrom(0))),
    networks: optional(each("an object of networks by name", network)),
    rpc: optional(each("an object of http or https URLs by the name of the chain", url)),
  });
}

const network: Check = (row, field) =>
  isRecord(row)
    ? checkFields(row, field, {
        symbol: matches("the symbol of the chain's coin", isText),
        decimals,
        rpc: url,
        moreRpcs: optional(urls),
        scan: matches("a string, which may be empty", (value) => typeof value === "string"),
        chain_id: matches("a whole number from 1 on", isWhole(1)),
        confirmations: optional(matches("a whole number from 1 on", isWhole(1))),
        contract: address,
        tokens,
        opStack: optional(matches("true or false", (value) => typeof value === "boolean")),
      })
    : { field, expected: "an object, such as a row of keeplight's `networks`" };

const tokens: Check = (value, field) =>
  isRecord(value)
    ? checkFields(value, field, { usdc: optional(token), usdt: optional(token), dai: optional(token) })
    : { field, expected: "an object of usdc, usdt and dai, each of which may be left out" };

const token: Check = (value, field) =>
  isRecord(value)
    ? checkFields(value, field, { address, decimals })
    : { field, expected: "an object with address and decimals" };

const urls: Check = (value, field) =>
  Array.isArray(value)
    ? firstOf(value.map((one, at) => url(one, `${field}.${at}`)))
    : { field, expected: "a list of http or https URLs" };

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isFrom = (minimum: number) => (value: unknown) => typeof value === "number" && value >= minimum;
const isWhole =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
const isAddress = (value: unknown): boolean => typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);
const isUrl = (value: unknown): boolean =>
  typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value);

const url = matches("an http or https URL", isUrl);
const address = matches("an EVM address", isAddress);
const decimals = matches("a whole number from 0 to 77", isWhole(0, 77));

function matches(expected: string, isValid: (value: unknown) => boolean): Check {
  return (value, field) => (isValid(value) ? undefined : { field, expected });
}

function optional(check: Check): Check {
  return (value, field) => (value === undefined ? undefined : check(value, field));
}

function each(expected: string, check: Check): Check {
  return (value, field) =>
    isRecord(value)
      ? firstOf(Object.entries(value).map(([name, one]) => check(one, `${field}.${name}`)))
      : { field, expected };
}

function checkFields(values: Fields, parent: string, checks: Readonly<Record<string, Check>>) {
  const prefix = parent === "" ? "" : `${parent}.`;
  return firstOf(Object.entries(checks).map(([name, check]) => check(values[name], `${prefix}${name}`)));
}

function firstOf(problems: readonly (ConfigProblem | undefined)[]): ConfigProblem | undefined {
  return problems.find((problem) => problem !== undefined);
}

function isRecord(value: unknown): value is Fields {
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
  throw new UsageError(`There is no home folder: set HOME or ${variable}`, { code: "NO_HOME" });
}
