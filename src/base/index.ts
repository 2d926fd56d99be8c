// What the package exports of these: settings, errors, and what every call takes.

export type {
  NetworkName,
  PaymentNetwork,
  PaymentToken,
  StableToken,
  TokenContract,
} from "./config/networks.ts";
export type { AnyKeeplightError, DetailsOf, ErrorCode, ErrorDetails, KeeplightErrorOptions } from "./errors/base.ts";
export { isKeeplightError, KeeplightError } from "./errors/base.ts";
export type {
  ConditionProblem,
  NodeFailure,
  RequestFacts,
  TransactionFacts,
} from "./errors/details/input-and-requests.ts";
export type { UploadPaymentFacts } from "./errors/details/payment.ts";
export { isUnfinished, UnfinishedError } from "./errors/unfinished.ts";
export type { BearerOptions, CallOptions, EndpointOptions, Endpoints } from "./options.ts";
export { defaultEndpoints } from "./options.ts";
export type { SignInService, SigningOptions } from "./validation/sign.ts";
export type {
  Eip1193Provider,
  Eip1193ProviderLike,
  Signer,
  SignerLike,
  ViemClient,
  ViemSigner,
} from "./validation/signer.ts";
