import type { CheckedConditions } from "./chain-types.ts";
import type { CheckedCoreumCondition } from "./coreum.ts";
import type { CheckedEvmCondition } from "./evm.ts";
import type { Comparator, Json } from "./fields.ts";
import type { CheckedRadixCondition } from "./radix.ts";
import type { CheckedSolanaCondition } from "./solana.ts";
import { findUnits, formatAmount, type Unit } from "./units.ts";

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

/**
 * Describes each condition, by its id, as the part of a sentence after "if". `who` is the requester.
 *
 * @param units - what conditions count in, by their ids, where that is not what {@link findUnits} returns
 */
export function describeConditions(
  checked: CheckedConditions,
  who: string,
  units: ReadonlyMap<number, Unit> = new Map(),
): Map<number, string> {
  const subjects = describeSubjects(checked, who);
  const known = new Map([...findUnits(checked), ...units]);
  return new Map(
    checked.conditions.map(({ id, returnValueTest: { comparator, value } }, position) => {
      const unit = known.get(id);
      // What a `:name` stands for is not known yet.
      const counted = unit && formatAmount(value, unit) === undefined ? ", in base units," : "";
      return [id, `${subjects[position]}${counted} is ${describeTarget(comparator, value, who, unit)}`];
    }),
  );
}

/** Describes what each condition reads, in the same order. */
function describeSubjects(checked: CheckedConditions, who: string): string[] {
  switch (checked.chainType) {
    case "EVM":
      return checked.conditions.map((condition) => describeEvmSubject(condition, who));
    case "SOLANA":
      return checked.conditions.map((condition) => describeSolanaSubject(condition, who));
    case "COREUM":
      return checked.conditions.map((condition) => describeCoreumSubject(condition, who));
    case "RADIX":
      return checked.conditions.map((condition) => describeRadixSubject(condition, who));
  }
}

function describeEvmSubject(condition: CheckedEvmCondition, who: string): string {
  const { chain, method, parameters = [] } = condition;
  const [first = USER_ADDRESS, second] = parameters;
  if (condition.standardContractType === "") {
    return method === "getBlockNumber"
      ? `the latest block number of ${chain}`
      : `the native balance of ${describeValue(first, who)} on ${chain}`;
  }
  const { standardContractType: type, contractAddress } = condition;
  const where = `${contractAddress} on ${chain}`;
  const known = `${type} ${method} ${parameters.length}`;
  if (known === "ERC20 balanceOf 1") {
    return `the balance of ${describeValue(first, who)} in the ERC20 token ${where}`;
  }
  if (known === "ERC721 balanceOf 1") {
    return `the number of ERC721 tokens of ${where} that ${describeValue(first, who)} owns`;
  }
  if (known === "ERC721 ownerOf 1") {
    return `the owner of token ${describeValue(first, who)} of the ERC721 contract ${where}`;
  }
  if (known === "ERC1155 balanceOf 2" && second !== undefined) {
    return `the balance of ${describeValue(first, who)} in token ${describeValue(second, who)} of the ERC1155 contract ${where}`;
  }
  return `the result of ${describeCall(method, parameters, who)} of the ${type} contract ${where}`;
}

function describeSolanaSubject(condition: CheckedSolanaCondition, who: string): string {
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

function describeCoreumSubject(condition: CheckedCoreumCondition, who: string): string {
  const { chain, method, parameters = [], contractAddress, standardContractType: type, denom, classid } = condition;
  const about = [
    ...(contractAddress ? [`the ${type ? `${type} ` : ""}contract ${contractAddress}`] : []),
    ...(denom ? [`the denomination ${denom}`] : []),
    ...(classid ? [`the class ${classid}`] : []),
  ];
  const of = about.length === 0 ? "" : ` for ${about.join(", ")}`;
  return `the result of ${describeCall(method, parameters, who)}${of} on ${chain}`;
}

function describeRadixSubject(condition: CheckedRadixCondition, who: string): string {
  const { chain, method, parameters = [], resourceAddress } = condition;
  return `the result of ${describeCall(method, parameters, who)} for the resource ${resourceAddress} on ${chain}`;
}

function describeCall(method: string, parameters: readonly Json[], who: string): string {
  return `${method}(${parameters.map((parameter) => describeValue(parameter, who)).join(", ")})`;
}

/** Formats a value: numbers and addresses bare, other strings quoted, a `:name` as what it stands for. */
export function describeValue(value: Json, who: string): string {
  if (value === USER_ADDRESS) return who;
  if (typeof value !== "string") return Array.isArray(value) ? describeList(value, who) : JSON.stringify(value);
  if (/^:\w+$/.test(value)) return `the value given for ${JSON.stringify(value.slice(1))}`;
  return /^(-?\d+|0x[0-9a-f]*|true|false)$/i.test(value) ? value : JSON.stringify(value);
}

function describeList(values: readonly Json[], who: string): string {
  return `[${values.map((value) => describeValue(value, who)).join(", ")}]`;
}
