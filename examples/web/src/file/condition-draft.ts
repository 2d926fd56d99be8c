import type { Comparator, EvmCondition } from "keeplight";

/** What a condition of the form requires. */
export type ConditionKind = "ERC721" | "ERC20" | "ERC1155" | "coin" | "block";

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
}

export const kinds: readonly { value: ConditionKind; label: string }[] = [
  { value: "ERC721", label: "owns an NFT (ERC-721)" },
  { value: "ERC20", label: "holds a token (ERC-20)" },
  { value: "ERC1155", label: "holds an item (ERC-1155)" },
  { value: "coin", label: "holds the native coin" },
  { value: "block", label: "anyone, after block" },
];

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

export const comparators: readonly { value: Comparator; label: string }[] = [
  { value: ">=", label: "at least" },
  { value: ">", label: "more than" },
  { value: "==", label: "exactly" },
  { value: "<=", label: "at most" },
  { value: "<", label: "less than" },
  { value: "!=", label: "is not" },
];

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

/** Returns the label of a condition's value, with its unit. */
export function getValueLabel({ kind, chain }: Pick<ConditionDraft, "kind" | "chain">): string {
  const labels: Record<ConditionKind, string> = {
    ERC721: "Quantity",
    ERC1155: "Quantity",
    ERC20: "Amount (base units)",
    coin: `Amount (${coins[chain] ?? "ETH"})`,
    block: "Block number",
  };
  return labels[kind];
}

/** What has to be changed in a draft before it can be saved, by field. */
export type DraftProblems = Partial<Record<"contract" | "tokenId" | "value", string>>;

/** Checks what was typed: a condition that no chain can meet would lock the file. */
export function findProblems({ kind, contract, tokenId, value }: ConditionDraft): DraftProblems {
  const problems: DraftProblems = {};
  const isToken = kind !== "coin" && kind !== "block";
  if (isToken && contract.trim() === "") problems.contract = "Fill in the contract address.";
  else if (isToken && !/^0x[0-9a-f]{40}$/i.test(contract.trim())) {
    problems.contract = "Use a 0x… address of 42 characters.";
  }
  if (kind === "ERC1155" && !/^\d+$/.test(tokenId.trim())) problems.tokenId = "Use a whole number.";
  const typed = value.trim();
  if (kind === "coin") {
    if (!/^\d+(\.\d{1,18})?$/.test(typed)) problems.value = "Use a number such as 1.5, with up to 18 decimals.";
  } else if (!/^\d+$/.test(typed)) {
    problems.value = "Use a whole number.";
  }
  return problems;
}

/** Converts to the network's format. */
export function toCondition(draft: ConditionDraft): EvmCondition {
  const { id, kind, chain, contract, tokenId, comparator, value } = draft;
  const typed = value.trim();
  const common = { id, chain, returnValueTest: { comparator, value: kind === "coin" ? toWei(typed) : typed } };
  if (kind === "block") return { ...common, standardContractType: "", method: "getBlockNumber" };
  if (kind === "coin") return { ...common, standardContractType: "", method: "getBalance" };
  const parameters = kind === "ERC1155" ? [":userAddress", tokenId.trim()] : [":userAddress"];
  return { ...common, standardContractType: kind, contractAddress: contract.trim(), method: "balanceOf", parameters };
}

/** Joins all conditions by `and` or by `or`. */
export function toAggregator(drafts: readonly ConditionDraft[], join: "and" | "or"): string {
  return drafts.length < 2 ? "" : `(${drafts.map(({ id }) => `[${id}]`).join(` ${join} `)})`;
}

/** Converts an amount with 18 decimals to base units. What is no amount stays as it is. */
function toWei(coins: string): string {
  const [, whole = "0", fraction = ""] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(coins) ?? [];
  return /^\d+(\.\d{1,18})?$/.test(coins) ? String(BigInt(whole + fraction.padEnd(18, "0"))) : coins;
}
