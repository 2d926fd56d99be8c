// What the package exports of these: settings, errors, and what every call takes.

export type {
  NetworkName,
  PaymentNetwork,
  PaymentToken,
  StableToken,
  TokenContract,
} from "./config/networks.ts";
export type { DetailsOf, ErrorCode, ErrorDetails } from "./errors/base.ts";
export {
  type AnyKeeplightError,
  isKeeplightError,
  KeeplightError,
  type KeeplightErrorOptions,
} from "./errors/base.ts";
export type {
  ConditionProblem,
  NodeFailure,
  RequestFacts,
  TransactionFacts,
} from "./errors/details/input-and-requests.ts";
export { isUnfinished, UnfinishedError } from "./errors/unfinished.ts";
export type { BearerOptions, CallOptions } from "./options.ts";
export { defaultEndpoints, type EndpointOptions, type Endpoints } from "./options.ts";
export type { SignInService, SigningOptions } from "./validation/sign.ts";
export type {
  Eip1193Provider,
  Eip1193ProviderLike,
  Signer,
  SignerLike,
  ViemClient,
  ViemSigner,
} from "./validation/signer.ts";
