import { lighthouseSettings, type Unchecked } from "@keeplight/kavach/shared";
import { networks, type PaymentNetwork, type StableToken } from "keeplight";
import { shared } from "keeplight/parts";

// The module `dist/lighthouse.config` of the package that this one replaces.

/** A chain in the incumbent's form. */
type NetworkRow = { [field: string]: Unchecked };

const rows: ReadonlyMap<string, PaymentNetwork> = new Map(Object.entries(networks));

type Config = typeof lighthouseSettings & { [network: string]: Unchecked };

/**
 * Where calls send their requests, and the chains. Read at each call: assigning to it redirects the calls that follow. Its
 * first copy in a process adds the chains.
 */
export const defaultConfig = shared<Config>("lighthouse config", () =>
  Object.assign(lighthouseSettings, Object.fromEntries([...rows].map(([name, network]) => [name, toRow(network)]))),
);

/**
 * The same object as {@link defaultConfig}.
 *
 * @alias
 */
export const lighthouseConfig: { [key: string]: Unchecked } = defaultConfig;

/** Returns a chain as it is configured now, or undefined if there is none of this name. */
export function toNetwork(name: string): PaymentNetwork | undefined {
  const network = rows.get(name);
  const row: NetworkRow | undefined = network && Object.hasOwn(defaultConfig, name) ? defaultConfig[name] : undefined;
  if (!network || !row) return undefined;
  const { rpc, lighthouse_contract_address: contract } = row;
  const tokens = Object.entries(network.tokens).map(([token, known]) => {
    const decimals = row[`${token}_contract_decimal`] ?? known.decimals;
    return [token, { ...known, address: row[`${token}_contract_address`] ?? known.address, decimals }];
  });
  const { moreRpcs, ...rest } = network;
  return {
    ...rest,
    ...(rpc === network.rpc ? { moreRpcs } : {}),
    rpc,
    contract,
    chain_id: Number(row["chain_id"]),
    tokens: Object.fromEntries(tokens),
  };
}

function toRow(network: PaymentNetwork): NetworkRow {
  const row: NetworkRow = {
    symbol: network.symbol,
    rpc: network.rpc,
    scan: network.scan,
    chain_id: String(network.chain_id),
    lighthouse_contract_address: network.contract,
    native_decimal: network.decimals,
  };
  for (const token of Object.keys(network.tokens) as StableToken[]) {
    row[`${token}_contract_address`] = network.tokens[token]?.address;
    row[`${token}_contract_decimal`] = network.tokens[token]?.decimals;
  }
  return row;
}
