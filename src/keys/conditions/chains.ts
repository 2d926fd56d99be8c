import * as z from "zod/mini";
import { numberThat, oneOf } from "../../base/validation/schema.ts";
import {
  anyCase,
  commonFields,
  conditionWith,
  contractText,
  isExact,
  noContractType,
  optionalContractText,
  optionalText,
  parameterList,
  requiredText,
  solidityType,
  solidityTypeList,
} from "./fields.ts";

/** The key nodes decide which chains exist, and their list grows: no name is refused. */
const evmFields = { ...commonFields, chain: requiredText };

const evmToken = conditionWith({
  ...evmFields,
  standardContractType: anyCase(["ERC20", "ERC721", "ERC1155"]),
  contractAddress: contractText,
  method: requiredText,
  parameters: parameterList,
});

const evmCustom = conditionWith({
  ...evmFields,
  standardContractType: anyCase(["Custom"]),
  contractAddress: contractText,
  method: requiredText,
  parameters: parameterList,
  inputArrayType: solidityTypeList,
  outputType: solidityType,
});

const evmNative = conditionWith({
  ...evmFields,
  standardContractType: noContractType,
  contractAddress: optionalContractText,
  method: oneOf(["getBalance", "getBlockNumber"], "must be getBalance or getBlockNumber"),
  parameters: z.optional(parameterList),
});

/**
 * A condition on an EVM chain: a read of an ERC20, ERC721 or ERC1155 contract, any read of any contract (`Custom`,
 * whose `inputArrayType` and `outputType` are its types), or, with an empty `standardContractType`, the native balance
 * or the block number. (Tokens are last, because the compiler explains errors by the last member.)
 */
export type EvmCondition = z.input<typeof evmNative> | z.input<typeof evmCustom> | z.input<typeof evmToken>;

/** A checked {@link EvmCondition}, in the form that is sent. */
export type CheckedEvmCondition = z.output<typeof evmToken> | z.output<typeof evmCustom> | z.output<typeof evmNative>;

const solanaFields = {
  ...commonFields,
  chain: anyCase(["DEVNET", "TESTNET", "MAINNET"]),
  parameters: z.optional(parameterList),
  pdaInterface: conditionWith(
    {
      offset: z.optional(numberThat((offset) => offset >= 0 && isExact(offset), "must be a number from 0 on")),
      selector: optionalText,
    },
    "must be an object { offset, selector }, both optional",
  ),
};

const solanaToken = conditionWith({
  ...solanaFields,
  standardContractType: anyCase(["spl-token"]),
  contractAddress: requiredText,
  method: oneOf(["getTokenAccountsByOwner"], "must be getTokenAccountsByOwner"),
});

const solanaNative = conditionWith({
  ...solanaFields,
  standardContractType: noContractType,
  contractAddress: optionalText,
  method: oneOf(
    ["getBalance", "getLastBlockTime", "getBlockHeight"],
    "must be getBalance, getLastBlockTime or getBlockHeight",
  ),
});

/** A condition on Solana: on an SPL token, or, with an empty `standardContractType`, on the chain itself. */
export type SolanaCondition = z.input<typeof solanaToken> | z.input<typeof solanaNative>;

const coreumFields = {
  ...commonFields,
  chain: anyCase(["Coreum_Devnet", "Coreum_Testnet", "Coreum_Mainnet"]),
  method: requiredText,
  denom: optionalText,
  classid: optionalText,
};

const coreumContract = conditionWith({
  ...coreumFields,
  standardContractType: requiredText,
  contractAddress: requiredText,
  parameters: parameterList,
});

const coreumNative = conditionWith({
  ...coreumFields,
  standardContractType: z.optional(noContractType),
  contractAddress: optionalText,
  parameters: z.optional(parameterList),
});

/** A condition on Coreum: on a contract of some type, or, without a type, on the chain itself. */
export type CoreumCondition = z.input<typeof coreumContract> | z.input<typeof coreumNative>;

const radixResource = conditionWith({
  ...commonFields,
  /** `Radix_Mainnet`. */
  chain: anyCase(["Radix_Mainnet"]),
  /** Optional. */
  standardContractType: z.optional(
    z.pipe(
      z.nullable(z.string("must be a string")),
      z.transform((value) => value ?? ""),
    ),
  ),
  /** The resource to read. */
  resourceAddress: requiredText,
  /** Such as `getFtsByAddress`. */
  method: requiredText,
  /** Optional. */
  contractAddress: optionalText,
  /** Arguments of the method; `:userAddress` stands for the requester's address. */
  parameters: z.optional(parameterList),
});

/** A condition on Radix: a read of a resource, such as `getFtsByAddress`. */
export interface RadixCondition extends z.input<typeof radixResource> {}

/** A checked condition of each chain type, in the form that is sent. */
export interface CheckedByChainType {
  EVM: CheckedEvmCondition;
  SOLANA: z.output<typeof solanaToken> | z.output<typeof solanaNative>;
  COREUM: z.output<typeof coreumContract> | z.output<typeof coreumNative>;
  RADIX: z.output<typeof radixResource>;
}

interface ConditionSchemas {
  /** By `standardContractType`, which is accepted in any case. */
  known: Readonly<Record<string, z.ZodMiniType>>;
  /** For all other types, if there may be any; then it may also be left out. */
  other?: z.ZodMiniType;
}

/** How the conditions of each chain type are checked. */
export const conditionSchemas: Readonly<Record<keyof CheckedByChainType, ConditionSchemas>> = {
  EVM: { known: { ERC20: evmToken, ERC721: evmToken, ERC1155: evmToken, Custom: evmCustom, "": evmNative } },
  SOLANA: { known: { "spl-token": solanaToken, "": solanaNative } },
  COREUM: { known: { "": coreumNative }, other: coreumContract },
  RADIX: { known: {}, other: radixResource },
};
