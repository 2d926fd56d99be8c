import type { InputDetails } from "./details/input.ts";
import type { KeyDetails } from "./details/keys.ts";
import type { MachineDetails } from "./details/machine.ts";
import type { PaymentDetails } from "./details/payment.ts";
import type { TransportDetails } from "./details/transport.ts";

/** The facts that each error carries, by its code. Errors may carry more, such as those of a call that can be resumed. */
export interface ErrorDetails extends InputDetails, TransportDetails, KeyDetails, PaymentDetails, MachineDetails {}

/** Stable names of everything that can go wrong: switch on these, not on messages. */
export type ErrorCode = keyof ErrorDetails;

/** The facts of an error with this code, and any others by name. */
export type DetailsOf<Code extends ErrorCode> = Readonly<ErrorDetails[Code] & Record<string, unknown>>;
