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

/** The coins of EVM chains, by the names that conditions have for them, in lower case. All have 18 decimals. */
const evmCoins: Readonly<Record<string, string>> = {
  ethereum: "ETH",
  goerli: "ETH",
  rinkeby: "ETH",
  base: "ETH",
  base_testnet: "ETH",
  optimism: "ETH",
  optimismgoerli: "ETH",
  optimismkovan: "ETH",
  scroll_testnet: "ETH",
  zircuit_testnet: "ETH",
  abstract_testnet: "ETH",
  polygon: "POL",
  mumbai: "POL",
  bsc: "BNB",
  bsctest: "tBNB",
  avax: "AVAX",
  fuji: "AVAX",
  fantom: "FTM",
  fantomtest: "FTM",
  filecoin: "FIL",
  filecoin_testnet: "tFIL",
  calibration: "tFIL",
};

/** Whether a condition tests the balance of an address in an ERC20 token. */
export function isTokenBalance({ standardContractType, method, parameters = [] }: CheckedEvmCondition): boolean {
  return standardContractType === "ERC20" && method === "balanceOf" && parameters.length === 1;
}

/** Finds what each condition counts in, by its id; those that test no amount of a coin or token are left out. */
export function findUnits({ chainType, conditions }: CheckedConditions): Map<number, Unit> {
  const units = new Map<number, Unit>();
  for (const condition of conditions) {
    const unit = chainType === "EVM" ? findEvmUnit(condition as CheckedEvmCondition) : undefined;
    if (unit) units.set(condition.id, unit);
    const isNative = condition.standardContractType === "" && condition.method === "getBalance";
    if (chainType === "SOLANA" && isNative) units.set(condition.id, { symbol: "SOL", decimals: 9 });
  }
  return units;
}

function findEvmUnit(condition: CheckedEvmCondition): Unit | undefined {
  if (isTokenBalance(condition)) return BASE_UNITS;
  if (condition.standardContractType !== "" || condition.method !== "getBalance") return undefined;
  const chain = condition.chain.toLowerCase();
  const symbol = Object.hasOwn(evmCoins, chain) ? evmCoins[chain] : undefined;
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
