export * from "./calls.ts";
// The calls as one object too. A page's bundler keeps only those of its calls that are used.
export * as default from "./calls.ts";
export type {
  AccessConditionSchema,
  AuthMessage,
  AuthToken,
  ChainType,
  Condition,
  DecryptionType,
  ErrorValue,
  EVMCondition,
  GeneratedKey,
  GenerateInput,
  IGetAccessCondition,
  JWT,
  KeyShard,
  LightHouseSDKResponse,
  RecoveredKey,
  RecoverShards,
  ReturnValueTest,
  SignedMessage,
  SolanaCondition,
  UpdateConditionSchema,
} from "./types.ts";
