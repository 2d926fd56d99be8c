import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import type { EndpointOptions, PaymentNetwork } from "keeplight";
import { UsageError } from "../frame/usage-error.ts";
import { findConfigProblem } from "./check-config.ts";
import { getConfigFolder } from "./folders.ts";

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
