export type { Account } from "./accounts.ts";
export type {
  Attack,
  HostileService,
  KeptToken,
  RecordClaims,
  RelayedSignature,
  SentBlock,
  UploadClaim,
} from "./attack.ts";
export type { AnvilOptions } from "./chain/anvil.ts";
export type { DevnetChain, FundedAccount } from "./chain/chain.ts";
export type { FaultyTokens } from "./chain/contracts.ts";
export type { Chunking } from "./content/importer.ts";
export type { Devnet } from "./devnet.ts";
export type { Fault, FaultAction, Service } from "./faults.ts";
export type { LoggedRequest } from "./http/service-server.ts";
export type { Shard } from "./key-nodes/shard-store.ts";
export type { DevnetOptions, GatewayFormat, GatewayOptions, ResponseForm } from "./options.ts";
export { startDevnet } from "./start-devnet.ts";
