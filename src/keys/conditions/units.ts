import type { CheckedConditions } from "./chain-types.ts";
import type { CheckedEvmCondition } from "./evm.ts";
import type { Json } from "./fields.ts";

/** What amounts are counted in. */
export interface Unit {
  symbol: string;
  /** How many digits of an amount are behind the point. */
  decimals: number;
}

/** What a chain or a contract counts in, where nothing more is known of it. */
const BASE_UNITS: Unit = { symbol: "base units", decimals: 0 };

/** EVM chains by their coins, as conditions name them, in lower case. All coins have 18 decimals. */
const chainsByCoin = {
  ETH: "ethereum base base_testnet optimism scroll_testnet zircuit_testnet abstract_testnet",
  POL: "polygon",
  BNB: "bsc",
  tBNB: "bsctest",
  AVAX: "avax fuji",
  FTM: "fantom fantomtest",
  FIL: "filecoin",
  tFIL: "filecoin_testnet calibration",
};

/** Whether a condition tests the balance of an address in an ERC20 token. */
export function isTokenBalance({ standardContractType, method, parameters = [] }: CheckedEvmCondition): boolean {
  return standardContractType === "ERC20" && method === "balanceOf" && parameters.length === 1;
}

/** Finds what each condition counts in, by its id; those that test no amount of a coin or token are left out. */
export function findUnits({ chainType, conditions }: CheckedConditions): Map<number, Unit> {
  return new Map(
    conditions.flatMap((condition) => {
      const isCoin = condition.standardContractType === "" && condition.method === "getBalance";
      if (isCoin && chainType === "SOLANA") return [[condition.id, { symbol: "SOL", decimals: 9 }]];
      if (chainType !== "EVM") return [];
      if (isCoin) return [[condition.id, findCoin(condition.chain)]];
      return isTokenBalance(condition as CheckedEvmCondition) ? [[condition.id, BASE_UNITS]] : [];
    }),
  );
}

function findCoin(chain: string): Unit {
  const name = chain.toLowerCase();
  const [symbol] = Object.entries(chainsByCoin).find(([, chains]) => chains.split(" ").includes(name)) ?? [];
  return symbol === undefined ? BASE_UNITS : { symbol, decimals: 18 };
}

/** Formats a whole number of base units: `1.5 ETH`; `undefined` for anything else, such as a `:name`. */
export function formatAmount(value: Json, unit: Unit | undefined): string | undefined {
  const isWhole = typeof value === "string" ? /^\d+$/.test(value) : Number.isSafeInteger(value) && Number(value) >= 0;
  if (!unit || !isWhole) return undefined;
  const { symbol, decimals } = unit;
  const digits = String(BigInt(String(value))).padStart(decimals + 1, "0");
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, "");
  const amount = `${digits.slice(0, split)}${fraction && `.${fraction}`}`;
  return `${amount} ${unit === BASE_UNITS && amount === "1" ? "base unit" : symbol}`;
}
