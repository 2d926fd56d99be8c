import { isDeepStrictEqual } from "node:util";
import type { ChainType } from "../../src/keys/conditions/check-conditions.ts";

/** The rule of a field, and how it is sent. */
interface FieldRule {
  holds(value: unknown): boolean;
  /** Whether it is optional. */
  free?: true;
  /** The names that are accepted in any case, in the canonical case in which they are sent. */
  names?: readonly string[];
}

type Fields = Readonly<Record<string, FieldRule>>;

/** Whether JSON represents the number exactly. */
const isExact = (value: unknown) => Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
const isText = (value: unknown) => typeof value === "string";
const text: FieldRule = { holds: (value) => isText(value) && value !== "" };
const freeText: FieldRule = { holds: isText, free: true };
const exactly = (...names: string[]): FieldRule => ({ holds: (value) => names.includes(value as string) });
const oneOf = (...names: string[]): FieldRule => ({
  holds: (value) => toCanonicalCase(names, value) !== undefined,
  names,
});
const free = (rule: FieldRule): FieldRule => ({ ...rule, free: true });
/** Null stands for the empty string. */
const noType: FieldRule = { holds: (value) => value === null || value === "", names: [""] };
const list: FieldRule = { holds: (value) => Array.isArray(value) && survivesJson(value) };

const SOLIDITY = /^(address|bool|bytes([1-8]|16|32)|u?int(8|16|24|32|40|48|64|128|192|256))(\[\])?$/;
const solidity: FieldRule = { holds: (value) => isText(value) && SOLIDITY.test(value as string) };
const solidityList: FieldRule = {
  holds: (value) => Array.isArray(value) && value.every((item) => solidity.holds(item)),
};

const common: Fields = {
  id: { holds: (value) => isExact(value) && (value as number) >= 1 },
  returnValueTest: {
    holds: (value) =>
      isObjectOf(value, {
        comparator: exactly("==", ">=", "<=", "!=", ">", "<"),
        value: { holds: (target) => isExact(target) || isText(target) || list.holds(target) },
      }),
  },
};
const pdaInterface: FieldRule = {
  holds: (value) =>
    isObjectOf(value, {
      offset: free({ holds: (offset) => isExact(offset) && (offset as number) >= 0 }),
      selector: freeText,
    }),
};
const solana: Fields = {
  ...common,
  chain: oneOf("DEVNET", "TESTNET", "MAINNET"),
  parameters: free(list),
  pdaInterface,
};
const coreum: Fields = {
  ...common,
  chain: oneOf("Coreum_Devnet", "Coreum_Testnet", "Coreum_Mainnet"),
  method: text,
  denom: freeText,
  classid: freeText,
};

/** The kinds of condition of a chain type; the first one with a matching contract type applies. */
const kinds: Readonly<Record<ChainType, readonly Fields[]>> = {
  EVM: [
    {
      ...common,
      chain: text,
      standardContractType: oneOf("ERC20", "ERC721", "ERC1155"),
      contractAddress: text,
      method: text,
      parameters: list,
    },
    {
      ...common,
      chain: text,
      standardContractType: oneOf("Custom"),
      contractAddress: text,
      method: text,
      parameters: list,
      inputArrayType: solidityList,
      outputType: solidity,
    },
    {
      ...common,
      chain: text,
      standardContractType: noType,
      contractAddress: freeText,
      method: exactly("getBalance", "getBlockNumber"),
      parameters: free(list),
    },
  ],
  SOLANA: [
    {
      ...solana,
      standardContractType: oneOf("spl-token"),
      contractAddress: text,
      method: exactly("getTokenAccountsByOwner"),
    },
    {
      ...solana,
      standardContractType: noType,
      contractAddress: freeText,
      method: exactly("getBalance", "getLastBlockTime", "getBlockHeight"),
    },
  ],
  COREUM: [
    { ...coreum, standardContractType: free(noType), contractAddress: freeText, parameters: free(list) },
    { ...coreum, standardContractType: { holds: () => true }, contractAddress: text, parameters: list },
  ],
  RADIX: [
    {
      ...common,
      chain: oneOf("Radix_Mainnet"),
      standardContractType: { holds: () => true, free: true },
      resourceAddress: text,
      method: text,
      contractAddress: freeText,
      parameters: free(list),
    },
  ],
};

/** The problems of a condition, or else what is sent. */
interface Verdict {
  /** Names of fields; "" if it is not an object. */
  wrong: ReadonlySet<string>;
  sent: unknown;
}

/** Checks one condition by its own tables. */
function judge(chainType: ChainType, condition: unknown): Verdict {
  if (!isObject(condition)) return { wrong: new Set([""]), sent: undefined };
  const type = condition["standardContractType"];
  const fields = kinds[chainType].find(({ standardContractType: rule }) => rule && fits(rule, type));
  if (!fields) return { wrong: new Set(["standardContractType"]), sent: undefined };
  const wrong = new Set(wrongFields(condition, fields));
  // A kind that accepts any contract type still requires a string.
  if (type !== undefined && type !== null && !isText(type)) wrong.add("standardContractType");
  return { wrong, sent: wrong.size > 0 ? undefined : toSentForm(condition, fields) };
}

/** The problems of a list, each as `position.field`, including repeated ids. */
export function judgeList(chainType: ChainType, conditions: readonly unknown[]): { wrong: string[]; sent: unknown[] } {
  const verdicts = conditions.map((condition) => judge(chainType, condition));
  const wrong = verdicts.flatMap((verdict, at) => [...verdict.wrong].map((field) => `${at}.${field}`));
  const ids = conditions.map((condition) => (isObject(condition) ? condition["id"] : undefined));
  // `indexOf` never finds NaN.
  const repeated = ids.flatMap((id, at) =>
    typeof id === "number" && ids.slice(0, at).includes(id) ? [`${at}.id`] : [],
  );
  return { wrong: [...new Set([...wrong, ...repeated])].sort(), sent: verdicts.map(({ sent }) => sent) };
}

function wrongFields(object: Readonly<Record<string, unknown>>, fields: Fields): string[] {
  const unknown = Object.keys(object).filter((name) => !Object.hasOwn(fields, name));
  return [...unknown, ...Object.keys(fields).filter((name) => !fits(fields[name] as FieldRule, object[name]))];
}

function fits(rule: FieldRule, value: unknown): boolean {
  return value === undefined ? rule.free === true : rule.holds(value);
}

function toSentForm(condition: Readonly<Record<string, unknown>>, fields: Fields): Record<string, unknown> {
  const entries = Object.entries(condition).map(([name, value]) => {
    const sent = name === "standardContractType" && value === null ? "" : value;
    return [name, toCanonicalCase(fields[name]?.names ?? [], sent) ?? sent];
  });
  return Object.fromEntries(entries);
}

function toCanonicalCase(names: readonly string[], value: unknown): string | undefined {
  return names.find((known) => isText(value) && known.toUpperCase() === (value as string).toUpperCase());
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isObjectOf(value: unknown, fields: Fields): boolean {
  return isObject(value) && wrongFields(value, fields).length === 0;
}

/** Whether the received value equals the sent one. */
function survivesJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch {
    return false;
  }
}
