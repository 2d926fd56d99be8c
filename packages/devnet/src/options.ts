import { isAccountSource } from "./accounts.ts";
import type { Attack } from "./attack.ts";
import { checkAttack } from "./attack-book.ts";
import type { AnvilOptions } from "./chain/anvil.ts";
import {
  type Checks,
  checkKeys,
  eachOf,
  fieldsOf,
  flag,
  isAtLeast,
  isRecordOf,
  isString,
  isWhole,
  oneOf,
  optional,
} from "./check-options.ts";
import type { Chunking } from "./content/importer.ts";
import { checkFault, type Fault } from "./faults.ts";
import { getLocalHost, isHost, normalizeHost } from "./host.ts";

/**
 * Format of the upload node's response. `auto`: one object for a plain upload of one root, a list otherwise; `object`:
 * only the root; `list`: every file and folder; `prefixed-list`: a list after progress lines; `ndjson`: one object per
 * line.
 */
export type ResponseForm = "auto" | "object" | "list" | "prefixed-list" | "ndjson";

/** Options of a devnet; all of them have a default. */
export interface DevnetOptions {
  /**
   * First of eight consecutive ports: API, upload, gateway, key nodes, upload in the class `walrus`, uploads that are paid one
   * by one, control, EVM node. Further gateways come before the last four. What is not started leaves its port unused.
   *
   * @default 0: free ones
   */
  port?: number | undefined;
  /**
   * All services over HTTPS, with HTTP/2 and HTTP/1.1 and a new self-signed certificate, `devnet.certificate`. The EVM
   * node always uses HTTP.
   *
   * @default false, which is HTTP/1.1
   */
  tls?: boolean | undefined;
  /**
   * The IP address or name that all services bind to. Anyone who can reach it may use the network, and its control service:
   * `0.0.0.0` is for containers, and for machines that trust their network.
   *
   * @default `127.0.0.1`: only programs of this machine
   */
  host?: string | undefined;
  /**
   * The host that the URLs of the services name, such as that of a container. The control service refuses other names.
   *
   * @default `host`; for an address that stands for all, such as `0.0.0.0`, this machine's own
   */
  publicHost?: string | undefined;
  /**
   * Folder for the whole network, which stays after `close()` and is complete even if the process is killed: content,
   * accounts, keys, listings, shards, names. One devnet at a time uses it. Faults, attacks and the chain are not kept.
   *
   * @default a new temporary one, removed by `close()`
   */
  dataDir?: string | undefined;
  /**
   * Who `devnet.accounts` are: `random` wallets, those of `fixed` keys, which everybody knows, or those of a BIP-39 mnemonic
   * of your own. The latter two, and their API keys, are the same at each start.
   *
   * @default `random`, which stay the same in a `dataDir`
   */
  accounts?: string | undefined;
  /**
   * An HTTP service for tests in other languages, and for people: faults, attacks, key nodes, prices, limits, requests, and
   * the API keys of all accounts. It never uses HTTPS.
   *
   * @default false
   */
  control?: boolean | undefined;
  /** Initial faults. @default none */
  faults?: readonly Fault[] | undefined;
  /** Initial attacks by the network itself. @default none */
  attacks?: readonly Attack[] | undefined;
  /** Bytes each account may store in the class `annual` and all that `storageLimits` does not name. @default 100 GiB */
  dataLimit?: number | undefined;
  /** Bytes each account may store in the storage classes with limits of their own. @default those of its fields */
  storageLimits?:
    | {
        /** In the class `lifetime`. @default 0 */
        lifetime?: number | undefined;
        /** In the class `walrus`. @default `dataLimit` */
        walrus?: number | undefined;
      }
    | undefined;
  /** Lifetime of a JWT of the key nodes, in seconds; may be fractional. @default 3,600 */
  jwtLifetimeSeconds?: number | undefined;
  /** Format of the upload node's responses. @default `auto` */
  responseForm?: ResponseForm | undefined;
  /**
   * How the upload node splits files into trees of blocks: bytes per leaf and links per node; 1,048,576
   * and 1,024 are the profile `unixfs-v1-2025`.
   *
   * @default 262,144 and 174
   */
  chunking?: Chunking | undefined;
  /** How many gateways serve the same content, or what each of them offers. @default 1, which offers everything */
  gateways?: number | readonly GatewayOptions[] | undefined;
  /** Files per page of the listing. @default 2,000 */
  pageSize?: number | undefined;
  /**
   * JSON-RPC URL of each EVM chain that access conditions may read, by the chain's name in any case. Every other chain
   * is the one of `chain`; without it, conditions on that chain grant no access.
   *
   * @default none
   */
  evmRpc?: Readonly<Record<string, string>> | undefined;
  /** USD per whole coin, by its symbol in any case. @default a price for the coin of every known network */
  tickers?: Readonly<Record<string, number>> | undefined;
  /**
   * Milliseconds from an upload until a deal includes the file and a proof exists, and from the request of a PDP deal until
   * it is completed.
   *
   * @default 2,000
   */
  proofDelayMs?: number | undefined;
  /** Maximum bytes of a file that a deal includes. @default 32 MiB; proving takes about 0.1 s per MiB */
  proofMaxBytes?: number | undefined;
  /**
   * Behave as harshly as the network may: the gateways no longer serve what was deleted, unless another account, or another
   * file, still stores those bytes, and the chain refuses a replacement that offers less than 10 % more, as geth does.
   *
   * @default false: what was deleted is served until `close()`, and any higher fee replaces a transaction
   */
  unkind?: boolean | undefined;
  /** The service that is paid per upload; without `chain` it can settle nothing. @default those of its fields */
  x402?:
    | {
        /** Maximum bytes of a file. @default 1 GiB */
        maxFileBytes?: number | undefined;
        /**
         * Honour a payment that the service has settled without storing its file, when the same payer and nonce are
         * presented again: the file is stored, and nothing is paid.
         *
         * @default false: refused, as by the network, since the nonce was used
         */
        honours?: boolean | undefined;
      }
    | undefined;
  /** An EVM node with a payment contract and tokens; requires anvil. @default none */
  chain?: boolean | AnvilOptions | undefined;
}

/** {@link DevnetOptions} with every default filled in. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** Not actual prices, but of the same order. */
const defaultTickers = { FIL: 4, tFIL: 4, MATIC: 0.5, FTM: 0.5, BNB: 600, ETH: 3_000 };

const responseForms: readonly ResponseForm[] = ["auto", "object", "list", "prefixed-list", "ndjson"];

/**
 * Fills in the defaults.
 *
 * @throws DevnetError `INVALID_OPTION` for an unknown option, or a value of the wrong type or out of range.
 */
export function resolveOptions(options: DevnetOptions) {
  checkOptions("", options);
  const { dataLimit = 100 * 1024 ** 3, storageLimits: { lifetime = 0, walrus = dataLimit } = {} } = options;
  const { host = "127.0.0.1", publicHost } = options;
  return {
    port: options.port ?? 0,
    tls: options.tls ?? false,
    host,
    /** As in a URL. */
    publicHost: publicHost === undefined ? getLocalHost(host) : normalizeHost(publicHost),
    dataDir: options.dataDir,
    accounts: options.accounts ?? "random",
    control: options.control ?? false,
    faults: options.faults ?? [],
    attacks: options.attacks ?? [],
    dataLimit,
    storageLimits: { lifetime, walrus },
    jwtLifetimeSeconds: options.jwtLifetimeSeconds ?? 3_600,
    responseForm: options.responseForm ?? "auto",
    chunking: options.chunking ?? {},
    gateways: resolveGateways(options.gateways),
    pageSize: options.pageSize ?? 2_000,
    evmRpc: options.evmRpc ?? {},
    tickers: options.tickers ?? defaultTickers,
    proofDelayMs: options.proofDelayMs ?? 2_000,
    proofMaxBytes: options.proofMaxBytes ?? 32 * 1024 ** 2,
    unkind: options.unkind ?? false,
    x402: { maxFileBytes: options.x402?.maxFileBytes ?? 1024 ** 3, honours: options.x402?.honours ?? false },
    chain: options.chain === true ? {} : options.chain || undefined,
  } satisfies Record<keyof DevnetOptions, unknown>;
}

/**
 * A way to read content. `whole`: files, by `GET /ipfs/` and `POST /api/v0/cat/`; `range`: parts of files, by the header
 * `Range`; `raw`: single blocks; `car`: archives of blocks.
 */
export type GatewayFormat = "whole" | "range" | "raw" | "car";

/** What one gateway offers. */
export interface GatewayOptions {
  /** What it serves besides files. @default all of them */
  formats?: readonly GatewayFormat[];
  /**
   * The response to requests for blocks or archives that it does not offer: a status, or `file` for the file, as from a
   * gateway that does not know the parameter.
   *
   * @default 406
   */
  unsupported?: "file" | 400 | 406;
}

const gatewayFormats: readonly GatewayFormat[] = ["whole", "range", "raw", "car"];

/** Maximum gateways of one devnet. */
const MAX_GATEWAYS = 16;

function resolveGateways(gateways: number | readonly GatewayOptions[] = 1): Required<GatewayOptions>[] {
  const list = typeof gateways === "number" ? Array.from({ length: gateways }, () => ({})) : gateways;
  return list.map(({ formats = gatewayFormats, unsupported = 406 }: GatewayOptions) => ({ formats, unsupported }));
}

const gatewayChecks: Checks<GatewayOptions> = {
  formats: eachOf(oneOf(gatewayFormats), 1, "a non-empty array"),
  unsupported: optional((value) => value === "file" || value === 400 || value === 406, "file, 400 or 406"),
};

function checkGateways(path: string, gateways: unknown): void {
  const isCount = isWhole(1, MAX_GATEWAYS);
  const expected = `a whole number from 1 to ${MAX_GATEWAYS}, or an array of as many objects`;
  optional((value) => isCount(Array.isArray(value) ? value.length : value), expected)(path, gateways);
  if (Array.isArray(gateways)) eachOf(fieldsOf(gatewayChecks))(path, gateways);
}

const checkChunking = fieldsOf({
  // gateways transfer no larger blocks
  chunkBytes: optional(isWhole(1, 2 * 1024 ** 2), "1 to 2097152 bytes"),
  links: optional(isWhole(2), "a whole number from 2 up"),
} satisfies Checks<Chunking>);

const fromZero = optional(isAtLeast(0), "a number from 0 up");

const checkLimits = fieldsOf({
  lifetime: fromZero,
  walrus: fromZero,
} satisfies Checks<NonNullable<DevnetOptions["storageLimits"]>>);

const checkX402 = fieldsOf({
  maxFileBytes: optional(isWhole(1), "a whole number of bytes, from 1 up"),
  honours: flag,
} satisfies Checks<NonNullable<DevnetOptions["x402"]>>);

const checkOptions = fieldsOf({
  port(path, port, { gateways } = {}) {
    checkGateways("gateways", gateways);
    // the other seven services, and the gateways besides the first, have the ports after it
    const max = 65_529 - resolveGateways(gateways as DevnetOptions["gateways"]).length;
    optional(isWhole(0, max), `a whole number from 0 to ${max}`)(path, port);
  },
  tls: flag,
  host: optional(isHost, "an IP address or a host name"),
  publicHost: optional(isHost, "an IP address or a host name"),
  dataDir: optional((path) => isString(path) && path !== "", "a path"),
  accounts: optional(isAccountSource, "random, fixed or a BIP-39 mnemonic"),
  control: flag,
  faults: eachOf(checkFault),
  attacks: eachOf(checkAttack),
  dataLimit: fromZero,
  storageLimits: (path, limits) => limits === undefined || checkLimits(path, limits),
  jwtLifetimeSeconds: optional(isAtLeast(Number.MIN_VALUE), "a number above 0"),
  responseForm: (path, form) => oneOf(responseForms)(path, form === undefined ? "auto" : form),
  chunking: (path, chunking) => checkChunking(path, chunking ?? {}),
  gateways: checkGateways,
  pageSize: optional(isWhole(1), "a whole number from 1 up"),
  evmRpc: optional(isRecordOf(isString), "an object of URLs by chain"),
  tickers: optional(isRecordOf(isAtLeast(Number.MIN_VALUE)), "an object of numbers above 0 by symbol"),
  proofDelayMs: fromZero,
  proofMaxBytes: fromZero,
  unkind: flag,
  x402: (path, x402) => x402 === undefined || checkX402(path, x402),
  chain(path, chain) {
    if (typeof chain === "object") checkKeys(path, chain, ["anvilPath", "hardfork"]);
    else optional((value) => typeof value === "boolean", "true, false or an object")(path, chain);
  },
} satisfies Checks<DevnetOptions>);
