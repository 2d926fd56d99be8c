// What the package exports of these: settings, errors, and what every call takes.
export { defaultEndpoints, type EndpointOptions, type Endpoints } from "./config/endpoints.ts";
export type {
  NetworkName,
  PaymentNetwork,
  PaymentToken,
  StableToken,
  TokenContract,
} from "./config/networks.ts";
export {
  type AnyKeeplightError,
  isKeeplightError,
  KeeplightError,
  type KeeplightErrorOptions,
} from "./errors/base.ts";
export type { DetailsOf, ErrorCode, ErrorDetails } from "./errors/codes.ts";
export type { ConditionProblem, NodeFailure, RequestFacts, TransactionFacts } from "./errors/facts.ts";
export { isUnfinished, UnfinishedError } from "./errors/unfinished.ts";
export type { BearerOptions, CallOptions } from "./options.ts";
export type { Eip1193Provider, Eip1193ProviderLike, ViemClient } from "./validation/eip-1193.ts";
export type { SignInService, SigningOptions } from "./validation/sign-in-message.ts";
export type { Signer, SignerLike, ViemSigner } from "./validation/signer.ts";
