import * as z from "zod/mini";
import { abbreviated, KeeplightError } from "../errors/base.ts";
import { invalidOption, nearestName } from "../errors/input.ts";
import { tokenNotSupported } from "../errors/payment.ts";
import { findMisspelling } from "../validation/address.ts";
import { numberThat, textLike, wholeFrom } from "../validation/schema.ts";
import {
  DEFAULT_NETWORK,
  type NetworkName,
  networks,
  type PaymentNetwork,
  type PaymentToken,
  type TokenContract,
} from "./networks.ts";

/** A row as payments use it, and as journals keep it. */
export interface ResolvedNetwork extends Omit<PaymentNetwork, "scan" | "chain_id"> {
  /** The row's `scan`. */
  explorerTxUrl: string;
  /** The row's `chain_id`. */
  chainId: number;
}

const A_ROW = "a row of the table of networks";
const address = z.custom<string>(
  (value) => typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) && findMisspelling(value) === undefined,
  "an EVM address",
);
const decimals = numberThat(
  (number) => Number.isInteger(number) && number >= 0 && number <= 77,
  "a whole number from 0 to 77",
);
const token = z.optional(z.object({ address, decimals }, A_ROW));
const BAND = "the prices low and high in US dollars, and asOf";
const usd = numberThat((number) => number > 0 && number < Number.POSITIVE_INFINITY, BAND);
const URLS = "a list of http or https URLs";

/** A row of the table of networks; its messages say what is expected. */
const row = z.object({
  symbol: textLike(/./s, A_ROW),
  decimals,
  rpc: textLike(/^https?:\/\//, "an http or https URL"),
  moreRpcs: z.optional(z.array(textLike(/^https?:\/\//, URLS), URLS)),
  scan: z.string(A_ROW),
  chain_id: wholeFrom(1),
  confirmations: z.optional(wholeFrom(1)),
  searchBlocks: z.optional(wholeFrom(0)),
  contract: address,
  tokens: z.object({ usdc: token, usdt: token, dai: token }, A_ROW),
  opStack: z.optional(z.boolean(A_ROW)),
  priceBand: z.optional(z.object({ low: usd, high: usd, asOf: z.string(BAND) }, BAND)),
  priceFeed: z.optional(address),
});

/**
 * Resolves a chain by its name, or checks a row. A row is copied, so that later changes by the caller affect no
 * payment.
 *
 * @throws `UNSUPPORTED_NETWORK` for an unknown name, `INVALID_OPTION` for an incomplete row
 */
export function resolveNetwork(network: unknown = DEFAULT_NETWORK): ResolvedNetwork {
  if (typeof network === "string" && Object.hasOwn(networks, network))
    return toResolved(networks[network as NetworkName]);
  if (typeof network !== "object" || network === null) throw unsupportedNetwork(network);
  // One that was resolved before, or a row of an earlier version.
  const given = network as Partial<ResolvedNetwork & PaymentNetwork>;
  const { explorerTxUrl: scan = given.scan, chainId: chain_id = given.chain_id } = given;
  const parsed = z.safeParse(row, { ...given, scan, chain_id }, { reportInput: true });
  if (parsed.success) return toResolved(withoutForeignNodes(parsed.data as PaymentNetwork));
  const { path = [], input, message: expected = A_ROW } = parsed.error.issues[0] ?? {};
  const spelling = typeof input === "string" ? findMisspelling(input) : undefined;
  throw invalidOption(
    ["network", ...path].join("."),
    spelling === undefined
      ? expected
      : `an address with the right checksum: if all digits are right, it is ${spelling}`,
  );
}

/**
 * Resolves a chain as {@link resolveNetwork} does, for calls that read or change it.
 *
 * @throws `UNSUPPORTED_NETWORK` also for the name of one that has been shut down
 */
export function resolveLiveNetwork(network: unknown): ResolvedNetwork {
  const resolved = resolveNetwork(network);
  if (typeof network !== "string" || !resolved.retired) return resolved;
  const live = Object.entries<PaymentNetwork>(networks).flatMap(([name, { retired }]) => (retired ? [] : name));
  throw new KeeplightError("UNSUPPORTED_NETWORK", "Unsupported Network!!!", {
    details: { network, networks: live, retired: true },
    hint: `${network} has been shut down`,
  });
}

function unsupportedNetwork(network: unknown): KeeplightError {
  const names = Object.keys(networks);
  const nearest = typeof network === "string" ? nearestName(network, names) : undefined;
  const advice = nearest === undefined ? `not one of ${names.join(", ")}` : `did you mean ${nearest}?`;
  return new KeeplightError("UNSUPPORTED_NETWORK", "Unsupported Network!!!", {
    details: { network: typeof network === "string" ? network : undefined, networks: names, nearest },
    hint: `${abbreviated(network)}, ${advice}`,
  });
}

/** Renames the specification's names to those of the code. */
function toResolved({ scan, chain_id: chainId, ...row }: PaymentNetwork): ResolvedNetwork {
  return { ...row, explorerTxUrl: scan, chainId };
}

/** A transaction for a local fork must not be sent to the table's nodes of the real chain. */
function withoutForeignNodes(own: PaymentNetwork): PaymentNetwork {
  const rows: readonly PaymentNetwork[] = Object.values(networks);
  const isForeign = ({ rpc, moreRpcs }: PaymentNetwork): boolean =>
    rpc !== own.rpc && moreRpcs !== undefined && String(moreRpcs) === String(own.moreRpcs);
  return rows.some(isForeign) ? { ...own, moreRpcs: undefined } : own;
}

/** The name of a chain in the table, if it has one. */
export function findNetworkName({ chainId }: ResolvedNetwork): NetworkName | undefined {
  const names = Object.keys(networks) as NetworkName[];
  return names.find((name) => networks[name].chain_id === chainId);
}

/**
 * Finds the contract of a token; `undefined` for the chain's own coin.
 *
 * @throws `MISSING_TOKEN`, `TOKEN_NOT_SUPPORTED` if the network's row does not list the token
 */
export function resolveToken({ tokens }: ResolvedNetwork, token: unknown): TokenContract | undefined {
  if (token === undefined || token === null || token === "")
    throw new KeeplightError("MISSING_TOKEN", "Token not provided!!!");
  if (token === "native") return undefined;
  const known = typeof token === "string" && Object.hasOwn(tokens, token);
  const contract = known ? tokens[token as Exclude<PaymentToken, "native">] : undefined;
  if (!contract)
    throw tokenNotSupported(String(token), "this network does not have it", ["native", ...Object.keys(tokens)]);
  return contract;
}

/** The address of the chain's own coin, as in the contract's events. */
export const COIN_ADDRESS = `0x${"0".repeat(40)}`;

/** The address of a token, lower-case; zero for the chain's own coin. */
export function getTokenAddress(contract: TokenContract | undefined): string {
  return contract?.address.toLowerCase() ?? COIN_ADDRESS;
}

/** The name of the token at a lower-case address, if the network's row lists it. */
export function findTokenName({ tokens }: ResolvedNetwork, tokenAddress: string): PaymentToken | undefined {
  if (tokenAddress === COIN_ADDRESS) return "native";
  const names = Object.keys(tokens) as (keyof typeof tokens)[];
  return names.find((name) => getTokenAddress(tokens[name]) === tokenAddress);
}
