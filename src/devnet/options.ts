import { KeeplightError } from "../errors/base.ts";
import type { AnvilOptions } from "./chain/anvil.ts";
import type { Fault } from "./faults/fault.ts";

/**
 * How the upload node words its answer. `auto`: one object for a plain upload of one root, a list
 * otherwise; `object`: the root alone; `list`: every file and folder; `prefixed-list`: a list with
 * progress lines before it; `ndjson`: one object per line.
 */
export type AnswerForm = "auto" | "object" | "list" | "prefixed-list" | "ndjson";

/** What can be set about a devnet; all of it has a default. */
export interface DevnetOptions {
  /** First of four ports in a row: API, upload, gateway, key nodes. Default 0: four free ones. */
  port?: number | undefined;
  /** Folder for uploaded content, kept at close. Default: a fresh temporary one, removed at close. */
  dataDir?: string | undefined;
  /** Faults that hold from the start. Default none. */
  faults?: readonly Fault[] | undefined;
  /** Bytes each account may store. Default 100 GiB. */
  dataLimit?: number | undefined;
  /** Lifetime of a JWT of the key nodes, in seconds; may be fractional. Default 3,600. */
  jwtLifetimeSeconds?: number | undefined;
  /** Form of the upload node's answers. Default `auto`. */
  answerForm?: AnswerForm | undefined;
  /** Files per page of the listing. Default 2,000. */
  pageSize?: number | undefined;
  /**
   * JSON-RPC URL of each EVM chain that access conditions may ask, by the chain's name in any case. Every
   * other chain is the one of `chain`; without that, conditions about it open nothing. Default none.
   */
  evmRpc?: Readonly<Record<string, string>> | undefined;
  /** USD for one whole coin, by its symbol in any case. Default: a price for the coin of every known network. */
  tickers?: Readonly<Record<string, number>> | undefined;
  /** Milliseconds from an upload until the file is in a deal and has a proof. Default 2,000. */
  proofDelayMs?: number | undefined;
  /** Bytes of the largest file that gets into a deal. Default 32 MiB; proving takes about 0.1 s for each MiB. */
  proofMaxBytes?: number | undefined;
  /** An EVM node with a payment contract and tokens; wants anvil to be installed. Default none. */
  chain?: boolean | AnvilOptions | undefined;
}

/** {@link DevnetOptions} with every default filled in. */
export interface ResolvedOptions {
  port: number;
  dataDir: string | undefined;
  faults: readonly Fault[];
  dataLimit: number;
  jwtLifetimeSeconds: number;
  answerForm: AnswerForm;
  pageSize: number;
  evmRpc: Readonly<Record<string, string>>;
  tickers: Readonly<Record<string, number>>;
  proofDelayMs: number;
  proofMaxBytes: number;
  chain: AnvilOptions | undefined;
}

/** Not what they cost, but of the same order. */
const defaultTickers = { FIL: 4, tFIL: 4, MATIC: 0.5, FTM: 0.5, BNB: 600, ETH: 3_000 };

/**
 * Fills in the defaults.
 *
 * @throws KeeplightError `INVALID_OPTION` for a number out of range.
 */
export function resolveOptions(options: DevnetOptions): ResolvedOptions {
  const port = options.port ?? 0;
  check("port", port, Number.isInteger(port) && port >= 0 && port <= 65_532);
  const dataLimit = options.dataLimit ?? 100 * 1024 ** 3;
  check("dataLimit", dataLimit, dataLimit >= 0);
  const jwtLifetimeSeconds = options.jwtLifetimeSeconds ?? 3_600;
  check("jwtLifetimeSeconds", jwtLifetimeSeconds, jwtLifetimeSeconds > 0);
  const pageSize = options.pageSize ?? 2_000;
  check("pageSize", pageSize, Number.isInteger(pageSize) && pageSize > 0);
  const proofDelayMs = options.proofDelayMs ?? 2_000;
  check("proofDelayMs", proofDelayMs, proofDelayMs >= 0);
  const proofMaxBytes = options.proofMaxBytes ?? 32 * 1024 ** 2;
  check("proofMaxBytes", proofMaxBytes, proofMaxBytes >= 0);
  const tickers = options.tickers ?? defaultTickers;
  for (const [symbol, price] of Object.entries(tickers)) check(`tickers.${symbol}`, price, price > 0);
  return {
    port,
    dataDir: options.dataDir,
    faults: options.faults ?? [],
    dataLimit,
    jwtLifetimeSeconds,
    answerForm: options.answerForm ?? "auto",
    pageSize,
    evmRpc: options.evmRpc ?? {},
    tickers,
    proofDelayMs,
    proofMaxBytes,
    chain: options.chain === true ? {} : options.chain || undefined,
  };
}

function check(option: string, value: number, holds: boolean): void {
  if (holds) return;
  throw new KeeplightError("INVALID_OPTION", `Invalid option ${option}: ${value} is out of range`, {
    details: { option },
  });
}
