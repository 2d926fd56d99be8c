import { type Fields, Refusal } from "../http/json.ts";
import { type ChainType, COMPARATORS, type Condition } from "./condition.ts";
import { solidityTypes } from "./solidity-types.ts";

/** What the conditions of one kind of chain may say; an absent list allows anything. */
interface ChainRules {
  chains?: readonly string[];
  contractTypes?: readonly string[];
  /** Methods where there is no contract. */
  ownMethods?: readonly string[];
  /** Methods where there is one. */
  contractMethods?: readonly string[];
  /** Fields besides the common ones. */
  texts?: readonly string[];
  needsParameters: boolean;
  needsContract: boolean;
}

const rulesOf: Readonly<Record<ChainType, ChainRules>> = {
  EVM: {
    contractTypes: ["erc20", "erc721", "erc1155", "custom", ""],
    ownMethods: ["getBalance", "getBlockNumber"],
    needsParameters: true,
    needsContract: true,
  },
  SOLANA: {
    chains: ["devnet", "testnet", "mainnet"],
    contractTypes: ["spl-token", ""],
    ownMethods: ["getBalance", "getLastBlockTime", "getBlockHeight"],
    contractMethods: ["getTokenAccountsByOwner"],
    needsParameters: false,
    needsContract: true,
  },
  COREUM: {
    chains: ["coreum_devnet", "coreum_testnet", "coreum_mainnet"],
    needsParameters: true,
    needsContract: true,
  },
  RADIX: { chains: ["radix_mainnet"], texts: ["resourceAddress"], needsParameters: false, needsContract: false },
};

/**
 * Reads one condition.
 *
 * @throws Refusal 400 that says which field is wrong.
 */
export function readCondition(fields: Fields, chainType: ChainType, index: number): Condition {
  const rules = rulesOf[chainType];
  const must = (holds: boolean, field: string, expected: string): void => {
    if (!holds) throw new Refusal(400, `conditions[${index}].${field} ${expected}`);
  };
  const text = (field: string, required: boolean): string => {
    const value = fields[field] ?? "";
    must(typeof value === "string", field, "must be a text");
    must(!required || value !== "", field, "is required");
    return String(value);
  };
  const among = (value: string, allowed: readonly string[] | undefined, field: string): void =>
    must(allowed?.includes(value) ?? true, field, `must be one of ${allowed?.map((each) => `"${each}"`).join(", ")}`);

  const id = fields["id"];
  must(typeof id === "number" && id >= 1, "id", "must be a number from 1 on");
  const chain = text("chain", true);
  among(chain.toLowerCase(), rules.chains, "chain");
  const standardContractType = text("standardContractType", false).toLowerCase();
  among(standardContractType, rules.contractTypes, "standardContractType");
  const ofContract = standardContractType !== "" && rules.needsContract;
  const contractAddress = text("contractAddress", ofContract);
  const method = text("method", true);
  among(method, ofContract ? rules.contractMethods : rules.ownMethods, "method");
  for (const field of rules.texts ?? []) text(field, true);

  const parameters = fields["parameters"] ?? undefined;
  must(parameters === undefined || Array.isArray(parameters), "parameters", "must be a list");
  must(parameters !== undefined || !ofContract || !rules.needsParameters, "parameters", "is required");
  if (chainType === "SOLANA") {
    const { pdaInterface } = fields as { pdaInterface?: Fields };
    must(typeof pdaInterface === "object" && pdaInterface !== null, "pdaInterface", "must be an object");
    must(Number(pdaInterface?.["offset"] ?? 0) >= 0, "pdaInterface.offset", "must be a number from 0 on");
  }

  const custom = chainType === "EVM" && standardContractType === "custom";
  const inputs = custom ? fields["inputArrayType"] : [];
  must(Array.isArray(inputs) && inputs.every((type) => solidityTypes.has(type)), "inputArrayType", TYPES);
  const output = custom ? fields["outputType"] : "";
  must(!custom || solidityTypes.has(output), "outputType", TYPES);

  const { comparator, value } = (fields["returnValueTest"] ?? {}) as Fields;
  const known = COMPARATORS.find((each) => each === comparator);
  must(known !== undefined, "returnValueTest.comparator", `must be one of ${COMPARATORS.join(" ")}`);
  const comparable = typeof value === "number" || typeof value === "string" || Array.isArray(value);
  must(comparable, "returnValueTest.value", "must be a number, a text or a list");

  return {
    id: Number(id),
    chain,
    standardContractType,
    contractAddress,
    method,
    parameters: parameters as readonly unknown[] | undefined,
    inputArrayType: inputs as readonly string[],
    outputType: String(output),
    comparator: known ?? "==",
    value,
  };
}

const TYPES = "must name Solidity types that conditions may use";
