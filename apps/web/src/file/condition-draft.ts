import type { Comparator } from "keeplight";
import { getMessages } from "../messages/language.ts";
import type { TokenFacts } from "./read-token.ts";

/** What a condition of the form can require. */
export const kinds = ["ERC721", "ERC20", "ERC1155", "coin", "block"] as const;
type ConditionKind = (typeof kinds)[number];

/** One condition, as entered in the form. */
export interface ConditionDraft {
  /** Also its id in the aggregator. */
  id: number;
  kind: ConditionKind;
  chain: string;
  contract: string;
  /** Of an ERC1155 contract. */
  tokenId: string;
  comparator: Comparator;
  /** As typed: a quantity, an amount, a block number. */
  value: string;
  /** Whether `value` is in base units, as it was saved, and not yet in those of the token. */
  isBaseValue?: boolean;
  /** Of an ERC20 contract, once it is read. Belongs to the chain and contract that it names. */
  token?: TokenFacts;
}

/** Chains that the key nodes support, by their names there. */
export const chains = [
  "Ethereum",
  "Polygon",
  "Base",
  "Optimism",
  "BSC",
  "AVAX",
  "Filecoin",
  "Calibration",
  "Base_Testnet",
] as const;

export const comparators: readonly Comparator[] = [">=", ">", "==", "<=", "<", "!="];

export function createDraft(id: number): ConditionDraft {
  return { id, kind: "ERC721", chain: "Ethereum", contract: "", tokenId: "1", comparator: ">=", value: "1" };
}

/** Native coins other than ETH. */
const coins: Readonly<Record<string, string>> = {
  Polygon: "POL",
  BSC: "BNB",
  AVAX: "AVAX",
  Filecoin: "FIL",
  Calibration: "tFIL",
};

export const COIN_DECIMALS = 18;

/** Whether a draft has the address of a contract. */
export function hasContract({ kind, contract }: ConditionDraft): boolean {
  return kind !== "coin" && kind !== "block" && /^0x[0-9a-f]{40}$/i.test(contract.trim());
}

/** Returns what is known of the draft's token; `undefined` until it is read. */
export function getToken({ chain, contract, token }: ConditionDraft): TokenFacts | undefined {
  return token?.chain === chain && token.contract === contract.trim().toLowerCase() ? token : undefined;
}

/** Returns how many decimals an amount may have; 0 for what is counted. */
export function getDecimals(draft: ConditionDraft): number {
  if (draft.kind === "coin") return COIN_DECIMALS;
  return draft.kind === "ERC20" ? (getToken(draft)?.decimals ?? 0) : 0;
}

/** Returns the label of a condition's value, with its unit. */
export function getValueLabel(draft: ConditionDraft): string {
  const { rules } = getMessages();
  const { kind, chain } = draft;
  if (kind === "block") return rules.blockNumber;
  if (kind === "coin") return rules.amount(coins[chain] ?? "ETH");
  if (kind !== "ERC20") return rules.quantity;
  const token = getToken(draft);
  const isInBaseUnits = token !== undefined && token.decimals === undefined;
  return rules.amount(isInBaseUnits ? rules.baseUnits : (token?.symbol ?? rules.tokens));
}

/** What has to be changed in a draft before it can be saved, by field. */
export type DraftProblems = Partial<Record<"contract" | "tokenId" | "value", string>>;

/** Checks what was typed: a condition that no chain can meet would lock the file. */
export function findProblems(draft: ConditionDraft): DraftProblems {
  const { rules } = getMessages();
  const { kind, contract, tokenId, value } = draft;
  const problems: DraftProblems = {};
  const isToken = kind !== "coin" && kind !== "block";
  if (isToken && contract.trim() === "") problems.contract = rules.needsContract;
  else if (isToken && !hasContract(draft)) problems.contract = rules.needsAddress;
  if (kind === "ERC1155" && !/^\d+$/.test(tokenId.trim())) problems.tokenId = rules.needsWhole;
  const decimals = getDecimals(draft);
  if (kind === "ERC20" && hasContract(draft) && (!getToken(draft) || draft.isBaseValue)) {
    problems.value = rules.readingUnit;
  } else if (decimals === 0) {
    if (!/^\d+$/.test(value.trim())) problems.value = rules.needsWhole;
  } else if (!new RegExp(`^\\d+(\\.\\d{1,${decimals}})?$`).test(value.trim())) {
    problems.value = rules.needsDecimal(decimals);
  }
  return problems;
}
