export type {
  Attack,
  HostileService,
  KeptToken,
  RecordClaims,
  RelayedSignature,
  SentBlock,
  UploadClaim,
} from "./attacks/attack.ts";
export type { Account } from "./auth/accounts.ts";
export type { AnvilOptions } from "./chain/anvil.ts";
export type { DevnetChain, FundedAccount } from "./chain/chain.ts";
export type { FaultyTokens } from "./chain/contracts.ts";
export type { Chunking } from "./content/importer.ts";
export { type Devnet, startDevnet } from "./devnet.ts";
export type { Fault, FaultAction, Service } from "./faults/fault.ts";
export type { GatewayFormat, GatewayOptions } from "./gateway/gateway-options.ts";
export type { LoggedRequest } from "./http/request-log.ts";
export type { Shard } from "./key-nodes/shard-store.ts";
export type { DevnetOptions, ResponseForm } from "./options.ts";
