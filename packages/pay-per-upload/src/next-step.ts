// Decides what a paid request does next: nothing else does. Every signature of an order has the same nonce, of which the
// token carries out one, so that no step pays twice; what is left to decide is when there is nothing more to do.

/** What is known of a paid request. */
export interface Sight {
  /** Whether the chain shows the payment. */
  isPaid: boolean;
  /** Whether the service's network shows what was paid for. */
  isDone: boolean;
  /** What the service responded to the request that this run sent, if it sent one. */
  answer?: "done" | "refused" | "unclear" | undefined;
  /** How long ago it answered, in milliseconds. */
  lookedMs: number;
  /** For how long to look. */
  waitMs: number;
}

export type Step =
  /** Sign, unless there is a signature already, and send. */
  | "send"
  /** Wait, and read chain and network again. */
  | "look"
  /** It is paid and done. */
  | "finish"
  /** It is paid, and neither done nor does the service do it for this payment: as it says, or as far as is known. */
  | "stop-paid"
  /** It is not done. */
  | "stop";

export function nextStep({ isPaid, isDone, answer, lookedMs, waitMs }: Sight): Step {
  if (answer === "done") return "finish";
  if (isPaid && isDone) return "finish";
  // Paid and not done, too: a service that honours the payment does it now, and no other one can take it again.
  if (answer === undefined) return "send";
  // The service may still be at work, and its network shows what is stored only after a while.
  if ((isPaid || answer === "unclear") && lookedMs < waitMs) return "look";
  return isPaid ? "stop-paid" : "stop";
}
