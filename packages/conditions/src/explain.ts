import type { ChainType, ChainTypeOption, Comparator, ConditionOf, Json } from "keeplight";
import { type CheckedAccess, checkConditions, type OptionSchema, resolveOptions, unchecked } from "keeplight/parts";

/** A checked condition of a chain type. */
type Checked<Chain extends ChainType> = Extract<CheckedAccess, { chainType: Chain }>["conditions"][number];

/** A condition on an EVM chain. */
export type CheckedEvmCondition = Checked<"EVM">;

/** Options of {@link explainConditions}. */
export interface ExplainOptions<Chain extends ChainTypeOption> {
  /** The chain type of the conditions. @default `EVM` */
  chainType?: Chain;
}

const schema = { chainType: unchecked<ChainTypeOption>() } satisfies OptionSchema<ExplainOptions<ChainTypeOption>>;

/**
 * Explains in plain English who is granted access by these conditions. One condition yields a sentence; several yield a
 * list, one line for each with its id, indented as the aggregator groups them. Native balances are in whole coins, as in
 * 1.5 ETH; those of tokens in base units, as only their contracts know more: `simulateConditions` reads them. Sends nothing.
 *
 * @throws `INVALID_CONDITION`
 *
 * @example
 * explainConditions(conditions, "([1] and [2])");
 * // Access is granted if all of these hold:
 * // - [1] the number of ERC721 tokens of 0x1a… on Polygon that the requester owns is at least 1
 * // - [2] the latest block number of Polygon is greater than 50000000
 */
export function explainConditions<Chain extends ChainTypeOption = "EVM">(
  conditions: readonly ConditionOf<Chain>[],
  aggregator?: string | null,
  options: ExplainOptions<Chain> = {},
): string {
  const { chainType } = resolveOptions(schema, options);
  return explainChecked(checkConditions(conditions, aggregator, chainType), "the requester");
}

/**
 * Explains in plain English when `who` is granted access. `units` are what conditions are known to count in, by their ids;
 * `note` adds to the line of a condition.
 */
export function explainChecked(
  checked: CheckedAccess,
  who: string,
  units: ReadonlyMap<number, Unit> = findUnits(checked),
  note: (id: number) => string = () => "",
): string {
  const { rule, conditions, chainType } = checked;
  const describeSubject: (condition: never, who: string) => string = subjectDescribers[chainType];
  const descriptions = new Map<number, string>();
  for (const condition of conditions) {
    const { id, returnValueTest } = condition;
    const { comparator, value } = returnValueTest;
    const unit = units.get(id);
    // What a `:name` stands for is not known yet.
    const counted = unit && formatAmount(value, unit) === undefined ? ", in base units," : "";
    const target = describeTarget(comparator, value, who, unit);
    descriptions.set(id, `${describeSubject(condition as never, who)}${counted} is ${target}${note(id)}`);
  }
  const describe = (id: number): string => descriptions.get(id) ?? "";
  if (rule.kind === "condition") return `Access is granted if ${describe(rule.id)}.`;
  return `Access is granted if ${toLines(rule, describe).join("\n")}`;
}

/** Formats a rule as lines: what must hold, and its parts below it. */
function toLines(rule: CheckedAccess["rule"], describe: (id: number) => string): string[] {
  if (rule.kind === "condition") return [`[${rule.id}] ${describe(rule.id)}`];
  if (rule.kind !== "not") {
    const heading = rule.kind === "and" ? "all of these hold:" : "at least one of these holds:";
    return [heading, ...rule.rules.flatMap((part) => toListItem(toLines(part, describe)))];
  }
  const { rule: inner } = rule;
  if (inner.kind === "not") return toLines(inner.rule, describe);
  const parts = inner.kind === "condition" ? [inner] : inner.rules;
  const headings = { condition: "this does not hold:", and: "not all of these hold:", or: "none of these holds:" };
  return [headings[inner.kind], ...parts.flatMap((part) => toListItem(toLines(part, describe)))];
}

function toListItem([first = "", ...rest]: readonly string[]): string[] {
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

/** Placeholder for the address that requests the key. */
export const USER_ADDRESS = ":userAddress";

const describeComparator: Readonly<Record<Comparator, string>> = {
  "==": "equal to",
  "!=": "different from",
  ">=": "at least",
  "<=": "at most",
  ">": "greater than",
  "<": "less than",
};

/** Describes a comparison: "at least 5", of an amount "at least 1.5 ETH". `who` replaces the requester's address. */
export function describeTarget(comparator: Comparator, value: Json, who: string, unit?: Unit): string {
  return `${describeComparator[comparator]} ${formatAmount(value, unit) ?? describeValue(value, who)}`;
}

/** What describes the value that a condition reads, by chain type. */
const subjectDescribers: {
  [Chain in ChainType]: (condition: Checked<Chain>, who: string) => string;
} = {
  EVM: describeEvmSubject,
  SOLANA: describeSolanaSubject,
  COREUM: describeCoreumSubject,
  RADIX: describeRadixSubject,
};

function describeEvmSubject(condition: CheckedEvmCondition, who: string): string {
  const { chain, method, parameters = [], standardContractType: type } = condition;
  const [first = who, second] = parameters.map((parameter) => describeValue(parameter, who));
  if (type === "" && method === "getBlockNumber") return `the latest block number of ${chain}`;
  if (type === "") return `the native balance of ${first} on ${chain}`;
  const where = `${condition.contractAddress} on ${chain}`;
  const known: Readonly<Record<string, string>> = {
    "ERC20 balanceOf 1": `the balance of ${first} in the ERC20 token ${where}`,
    "ERC721 balanceOf 1": `the number of ERC721 tokens of ${where} that ${first} owns`,
    "ERC721 ownerOf 1": `the owner of token ${first} of the ERC721 contract ${where}`,
    "ERC1155 balanceOf 2": `the balance of ${first} in token ${second} of the ERC1155 contract ${where}`,
  };
  const result = `the result of ${describeCall(method, parameters, who)} of the ${type} contract ${where}`;
  return known[`${type} ${method} ${parameters.length}`] ?? result;
}

function describeSolanaSubject(condition: Checked<"SOLANA">, who: string): string {
  const { chain, method, parameters = [], pdaInterface } = condition;
  const place = `Solana ${chain}`;
  if (condition.standardContractType === "") {
    if (method === "getBlockHeight") return `the block height of ${place}`;
    if (method === "getLastBlockTime") return `the time of the last block of ${place}`;
    return `the balance of ${describeValue(parameters[0] ?? USER_ADDRESS, who)} on ${place}`;
  }
  const read = [
    ...(pdaInterface.selector ? [`field ${JSON.stringify(pdaInterface.selector)}`] : []),
    ...(pdaInterface.offset === undefined ? [] : [`the value at offset ${pdaInterface.offset}`]),
  ];
  const what = read.length === 0 ? "the result" : read.join(", ");
  return `${what} of ${describeCall(method, parameters, who)} for the SPL token ${condition.contractAddress} on ${place}`;
}

function describeCoreumSubject(condition: Checked<"COREUM">, who: string): string {
  const { chain, method, parameters = [], contractAddress, standardContractType: type, denom, classid } = condition;
  const about = [
    ...(contractAddress ? [`the ${type ? `${type} ` : ""}contract ${contractAddress}`] : []),
    ...(denom ? [`the denomination ${denom}`] : []),
    ...(classid ? [`the class ${classid}`] : []),
  ];
  const of = about.length === 0 ? "" : ` for ${about.join(", ")}`;
  return `the result of ${describeCall(method, parameters, who)}${of} on ${chain}`;
}

function describeRadixSubject(condition: Checked<"RADIX">, who: string): string {
  const { chain, method, parameters = [], resourceAddress } = condition;
  return `the result of ${describeCall(method, parameters, who)} for the resource ${resourceAddress} on ${chain}`;
}

function describeCall(method: string, parameters: readonly Json[], who: string): string {
  return `${method}(${describeValues(parameters, who)})`;
}

function describeValues(values: readonly Json[], who: string): string {
  return values.map((value) => describeValue(value, who)).join(", ");
}

/** Formats a value: numbers and addresses bare, other strings quoted, a `:name` as what it stands for. */
export function describeValue(value: Json, who: string): string {
  if (value === USER_ADDRESS) return who;
  if (Array.isArray(value)) return `[${describeValues(value, who)}]`;
  if (typeof value !== "string") return JSON.stringify(value);
  if (/^:\w+$/.test(value)) return `the value given for ${JSON.stringify(value.slice(1))}`;
  return /^(-?\d+|0x[0-9a-f]*|true|false)$/i.test(value) ? value : JSON.stringify(value);
}

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
export function findUnits({ chainType, conditions }: CheckedAccess): Map<number, Unit> {
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
