export type { Account } from "./auth/accounts.ts";
export type { AnvilOptions } from "./chain/anvil.ts";
export type { DevnetChain, FundedAccount } from "./chain/chain.ts";
export type { FaultyTokens } from "./chain/contracts.ts";
export type { Chunking } from "./content/importer.ts";
export { type Devnet, startDevnet } from "./devnet.ts";
export type { Fault, FaultAction, Service } from "./faults/fault.ts";
export type { LoggedRequest } from "./http/request-log.ts";
export type { DevnetOptions, ResponseForm } from "./options.ts";
