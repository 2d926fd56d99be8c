import type { Comparator, EvmCondition } from "keeplight";

/** What a condition of the form asks about. */
export type ConditionKind = "ERC721" | "ERC20" | "ERC1155" | "coin" | "block";

/** One condition as it stands in the form. */
export interface ConditionDraft {
  /** Also the id in the aggregator. */
  id: number;
  kind: ConditionKind;
  chain: string;
  contract: string;
  /** Of an ERC1155 contract. */
  tokenId: string;
  comparator: Comparator;
  /** As typed: pieces, whole coins, a block number. */
  value: string;
}

export const kinds: readonly { value: ConditionKind; words: string }[] = [
  { value: "ERC721", words: "owns an NFT (ERC-721)" },
  { value: "ERC20", words: "holds a token (ERC-20)" },
  { value: "ERC1155", words: "holds an item (ERC-1155)" },
  { value: "coin", words: "holds the chain’s coin" },
  { value: "block", words: "anyone, from a block on" },
];

/** Chains that the key nodes know, by their names there. */
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

export const comparators: readonly { value: Comparator; words: string }[] = [
  { value: ">=", words: "at least" },
  { value: ">", words: "more than" },
  { value: "==", words: "exactly" },
  { value: "<=", words: "at most" },
  { value: "<", words: "less than" },
  { value: "!=", words: "anything but" },
];

export function newDraft(id: number): ConditionDraft {
  return { id, kind: "ERC721", chain: "Ethereum", contract: "", tokenId: "1", comparator: ">=", value: "1" };
}

/** What the value of a kind is counted in. */
export function unitOf(kind: ConditionKind): string {
  const units: Record<ConditionKind, string> = {
    ERC721: "pieces",
    ERC1155: "pieces",
    ERC20: "smallest units of the token",
    coin: "whole coins",
    block: "block number",
  };
  return units[kind];
}

/** The condition in the network's terms. What is wrong with it, the kit says. */
export function conditionOf(draft: ConditionDraft): EvmCondition {
  const { id, kind, chain, contract, tokenId, comparator, value } = draft;
  const typed = value.trim();
  const common = { id, chain, returnValueTest: { comparator, value: kind === "coin" ? toWei(typed) : typed } };
  if (kind === "block") return { ...common, standardContractType: "", method: "getBlockNumber" };
  if (kind === "coin") return { ...common, standardContractType: "", method: "getBalance" };
  const parameters = kind === "ERC1155" ? [":userAddress", tokenId.trim()] : [":userAddress"];
  return { ...common, standardContractType: kind, contractAddress: contract.trim(), method: "balanceOf", parameters };
}

/** All of them, or one of them. */
export function aggregatorOf(drafts: readonly ConditionDraft[], join: "and" | "or"): string {
  return drafts.length < 2 ? "" : `(${drafts.map(({ id }) => `[${id}]`).join(` ${join} `)})`;
}

/** Coins of 18 decimals in their smallest unit; what is no such number stays, for the kit to refuse. */
function toWei(coins: string): string {
  const [, whole = "0", fraction = ""] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(coins) ?? [];
  return /^\d+(\.\d{1,18})?$/.test(coins) ? String(BigInt(whole + fraction.padEnd(18, "0"))) : coins;
}
