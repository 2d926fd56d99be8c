import type {
  CoreumCondition,
  EvmCondition,
  RadixCondition,
  SolanaCondition,
} from "../../src/keys/conditions/chains.ts";

export const contract = "0x1a7e9b3c5d7f9b1c3e5a7c9e1b3d5f7a9c1e3b5d";

/** One valid condition of every kind, by chain type and contract type. */
export const samples = {
  token: {
    id: 1,
    chain: "Polygon",
    standardContractType: "ERC721",
    contractAddress: contract,
    method: "balanceOf",
    parameters: [":userAddress"],
    returnValueTest: { comparator: ">=", value: 1 },
  },
  custom: {
    id: 1,
    chain: "FantomTest",
    standardContractType: "Custom",
    contractAddress: contract,
    method: "isMember",
    parameters: [":userAddress", 7],
    inputArrayType: ["address", "uint256"],
    outputType: "bool",
    returnValueTest: { comparator: "==", value: "true" },
  },
  native: {
    id: 1,
    chain: "Optimism",
    standardContractType: "",
    method: "getBalance",
    returnValueTest: { comparator: ">", value: "1000000000000000000" },
  },
} as const satisfies Record<string, EvmCondition>;

export const solanaSamples = {
  token: {
    id: 1,
    chain: "DEVNET",
    standardContractType: "spl-token",
    contractAddress: "H4cKP7RhAL2ynBcTWAL7Dd8dGEUELZyUcrkCyJVjVzvS",
    method: "getTokenAccountsByOwner",
    pdaInterface: { offset: 0, selector: "amount" },
    returnValueTest: { comparator: ">=", value: 1 },
  },
  native: {
    id: 1,
    chain: "MAINNET",
    standardContractType: "",
    method: "getLastBlockTime",
    pdaInterface: {},
    returnValueTest: { comparator: ">", value: 1_700_000_000 },
  },
} as const satisfies Record<string, SolanaCondition>;

export const coreumSamples = {
  contract: {
    id: 1,
    chain: "Coreum_Testnet",
    standardContractType: "nft",
    contractAddress: "testcore1contract",
    method: "balance",
    parameters: [":userAddress"],
    classid: "pass",
    returnValueTest: { comparator: ">=", value: 1 },
  },
  native: {
    id: 1,
    chain: "Coreum_Mainnet",
    standardContractType: "",
    method: "getBalance",
    denom: "ucore",
    returnValueTest: { comparator: ">=", value: "1000" },
  },
} as const satisfies Record<string, CoreumCondition>;

export const radixSamples = {
  resource: {
    id: 1,
    chain: "Radix_Mainnet",
    standardContractType: "",
    resourceAddress: "resource_rdx1th88qcj5syl9ghka2g9l7tw497vy5x6zaatyvgfkwcfe8n9jt2npww",
    method: "getFtsByAddress",
    returnValueTest: { comparator: ">=", value: 1 },
  },
} as const satisfies Record<string, RadixCondition>;

/** `value` with the field at `path` replaced; taken out where the new value is undefined. */
export function changed(value: unknown, path: string, to: unknown): unknown {
  const [first = "", ...rest] = path.split(".");
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  const next = rest.length > 0 ? changed(copy[first], rest.join("."), to) : to;
  if (next === undefined) delete copy[first];
  else copy[first] = next;
  return copy;
}
