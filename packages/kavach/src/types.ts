/** One of the shards of a key: both parts are hex. */
export interface KeyShard {
  /** The value; secret. */
  key: string;
  /** The place of the value. */
  index: string;
}

/** What a call reports instead of throwing: a string, or the key node's own body with `statusCode`. */
export type ErrorValue = Unchecked;

/** A new key and its shards. */
export interface GeneratedKey {
  /** 64 hex digits. */
  masterKey: string | null;
  /** As many as `keyCount`. */
  keyShards: KeyShard[];
}

/** Options of `generate`, by name. */
export interface GenerateInput {
  /** How many shards recover the key. */
  threshold?: number;
  /** How many shards there are. */
  keyCount?: number;
}

/** Result of `getAuthMessage`. */
export interface AuthMessage {
  /** The message to sign. */
  message: string | null;
  /** `null` if there is none. */
  error: ErrorValue;
}

/** Result of `recoverKey`, in either case. */
export interface RecoveredKey {
  /** 64 hex digits. */
  masterKey: string | null;
  /** `null` if there is none. */
  error: ErrorValue;
}

/** Result of `recoverShards`. */
export interface RecoverShards {
  /** Empty if there is an error. */
  shards: KeyShard[];
  /** `null` if there is none. */
  error: ErrorValue;
}

/** Signature of the current message, valid for one call. */
export type SignedMessage = string;
/** A sign-in, valid for any number of calls. */
export type JWT = `jwt:${string}`;
/** Either proof of owning an address. */
export type AuthToken = SignedMessage | JWT;

/** Values for the placeholders of conditions. */
export type DynamicData = NonNullable<unknown>;

/** Result of calls that change something on all five nodes. */
export interface LightHouseSDKResponse {
  /** Whether every node carried out the call. */
  isSuccess: boolean;
  /** `null` if there is none. */
  error: ErrorValue;
}

/** Kind of chain that conditions are about. */
export type ChainType = "EVM" | "evm" | "solana" | "SOLANA";
/** What decrypts a file. */
export type DecryptionType = "ADDRESS" | "ACCESS_CONDITIONS";

/** What a condition's value is compared with. */
export interface ReturnValueTest {
  /** How it is compared. */
  comparator: "==" | ">=" | "<=" | "!=" | ">" | "<";
  /** With what. */
  value: number | string | Unchecked[];
}

/** What conditions about all chains have. */
interface ChainCondition {
  /** From 1 on. */
  id: number;
  /** Of the contract to call, or the token. */
  contractAddress?: string;
  /** Name of the chain. */
  chain: string;
  /** Method to call. */
  method: string;
  /** Arguments of the method. */
  parameters?: Unchecked[];
  /** What the result has to be. */
  returnValueTest: ReturnValueTest;
}

/** A condition about an EVM chain. */
export interface EVMCondition extends ChainCondition {
  /** Empty for the chain itself. */
  standardContractType: "ERC20" | "ERC721" | "ERC1155" | "Custom" | "";
  /** Types of the arguments, for `Custom`. */
  inputArrayType?: string[];
  /** Type of the result, for `Custom`. */
  outputType?: string;
}

/** A condition about Solana. */
export interface SolanaCondition extends ChainCondition {
  /** Empty for the chain itself. */
  standardContractType: "spl-token" | "";
  /** What to read of the account. */
  pdaInterface: {
    offset?: number;
    selector?: string;
  };
}

/** A condition under which others may open a file. */
export type Condition = EVMCondition | SolanaCondition;

/** New conditions of a known file. */
export interface UpdateConditionSchema {
  chainType: "EVM" | "SOLANA";
  conditions: Condition[];
  decryptionType: "ADDRESS" | "ACCESS_CONDITIONS";
  address: string;
  cid: string;
  aggregator?: string;
}

/** Conditions of a file that has no shards saved yet. */
export interface AccessConditionSchema extends UpdateConditionSchema {
  keyShards: Unchecked[];
}

/** Who may open a file. */
export interface IGetAccessCondition {
  /** How the conditions are combined. */
  aggregator: string;
  /** Of all chain types but Solana. */
  conditions?: Condition[];
  /** Of Solana. */
  conditionsSolana: Unchecked[];
  /** Addresses. */
  sharedTo: Unchecked[];
  /** Address. */
  owner: string;
  /** Of the file. */
  cid: string;
}

/** What the incumbent's types leave unchecked. Programs that rely on it are to compile unchanged. */
// biome-ignore lint/suspicious/noExplicitAny: any other type would be an error in some program that compiles now
export type Unchecked = any;
