import { isDeepStrictEqual } from "node:util";
import type { ChainType } from "../../src/access-conditions/chain-types.ts";

/** What one field has to be, and how it is sent. */
interface FieldRule {
  holds(value: unknown): boolean;
  /** May be left out. */
  free?: true;
  /** The words of which it is one, in the canonical case in which it is sent. */
  words?: readonly string[];
}

type Fields = Readonly<Record<string, FieldRule>>;

/** Whether there is no other number of the same value in JSON. */
const isExact = (value: unknown) => Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
const isText = (value: unknown) => typeof value === "string";
const text: FieldRule = { holds: (value) => isText(value) && value !== "" };
const freeText: FieldRule = { holds: isText, free: true };
const exactly = (...words: string[]): FieldRule => ({ holds: (value) => words.includes(value as string) });
const word = (...words: string[]): FieldRule => ({ holds: (value) => spelled(words, value) !== undefined, words });
const free = (rule: FieldRule): FieldRule => ({ ...rule, free: true });
/** Null stands for the empty text. */
const noType: FieldRule = { holds: (value) => value === null || value === "", words: [""] };
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
        value: { holds: (wanted) => isExact(wanted) || isText(wanted) || list.holds(wanted) },
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
  chain: word("DEVNET", "TESTNET", "MAINNET"),
  parameters: free(list),
  pdaInterface,
};
const coreum: Fields = {
  ...common,
  chain: word("Coreum_Devnet", "Coreum_Testnet", "Coreum_Mainnet"),
  method: text,
  denom: freeText,
  classid: freeText,
};

/** The kinds of condition of a chain type; the first whose contract type fits is meant. */
const kinds: Readonly<Record<ChainType, readonly Fields[]>> = {
  EVM: [
    {
      ...common,
      chain: text,
      standardContractType: word("ERC20", "ERC721", "ERC1155"),
      contractAddress: text,
      method: text,
      parameters: list,
    },
    {
      ...common,
      chain: text,
      standardContractType: word("Custom"),
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
      standardContractType: word("spl-token"),
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
      chain: word("Radix_Mainnet"),
      standardContractType: { holds: () => true, free: true },
      resourceAddress: text,
      method: text,
      contractAddress: freeText,
      parameters: free(list),
    },
  ],
};

/** What is wrong with a condition, and as what it is sent if nothing is. */
interface Verdict {
  /** Names of fields; "" if it is no object at all. */
  wrong: ReadonlySet<string>;
  sent: unknown;
}

/** Judges one condition by tables of its own. */
function judge(chainType: ChainType, condition: unknown): Verdict {
  if (!isObject(condition)) return { wrong: new Set([""]), sent: undefined };
  const type = condition["standardContractType"];
  const fields = kinds[chainType].find(({ standardContractType: rule }) => rule && fits(rule, type));
  if (!fields) return { wrong: new Set(["standardContractType"]), sent: undefined };
  const wrong = new Set(wrongFields(condition, fields));
  // Where any contract type fits, it is a text all the same.
  if (type !== undefined && type !== null && !isText(type)) wrong.add("standardContractType");
  return { wrong, sent: wrong.size > 0 ? undefined : spelledOut(condition, fields) };
}

/** `wrong` for a whole list, each as `position.field`, ids that are there twice among them. */
export function judgeList(chainType: ChainType, conditions: readonly unknown[]): { wrong: string[]; sent: unknown[] } {
  const verdicts = conditions.map((condition) => judge(chainType, condition));
  const wrong = verdicts.flatMap((verdict, at) => [...verdict.wrong].map((field) => `${at}.${field}`));
  const ids = conditions.map((condition) => (isObject(condition) ? condition["id"] : undefined));
  const repeated = ids.flatMap((id, at) => (typeof id === "number" && ids.indexOf(id) < at ? [`${at}.id`] : []));
  return { wrong: [...new Set([...wrong, ...repeated])].sort(), sent: verdicts.map(({ sent }) => sent) };
}

function wrongFields(object: Readonly<Record<string, unknown>>, fields: Fields): string[] {
  const unknown = Object.keys(object).filter((name) => !Object.hasOwn(fields, name));
  return [...unknown, ...Object.keys(fields).filter((name) => !fits(fields[name] as FieldRule, object[name]))];
}

function fits(rule: FieldRule, value: unknown): boolean {
  return value === undefined ? rule.free === true : rule.holds(value);
}

function spelledOut(condition: Readonly<Record<string, unknown>>, fields: Fields): Record<string, unknown> {
  const entries = Object.entries(condition).map(([name, value]) => {
    const sent = name === "standardContractType" && value === null ? "" : value;
    return [name, spelled(fields[name]?.words ?? [], sent) ?? sent];
  });
  return Object.fromEntries(entries);
}

function spelled(words: readonly string[], value: unknown): string | undefined {
  return words.find((known) => isText(value) && known.toUpperCase() === (value as string).toUpperCase());
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isObjectOf(value: unknown, fields: Fields): boolean {
  return isObject(value) && wrongFields(value, fields).length === 0;
}

/** Whether what arrives is what was sent. */
function survivesJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch {
    return false;
  }
}
