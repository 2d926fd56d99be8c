import { type Payload, type Settlement, toPaymentKey } from "./payment.ts";

/** What was bought. */
export interface Sale {
  /** Route and, for a renewal, the file: what else a payment cannot buy. */
  purpose: string;
  /** Bytes. */
  size: number;
}

interface Receipt extends Sale {
  value: string;
  settlement: Settlement;
  /** Whether what was paid for is still owed. */
  isOpen: boolean;
}

/** Creates an empty list of the payments that were made, with what is still owed for each. */
export function createReceipts() {
  const receipts = new Map<string, Receipt>();
  const find = ({ authorization }: Payload) => receipts.get(toPaymentKey(authorization).toLowerCase());
  return {
    add({ authorization }: Payload, { purpose, size }: Sale, settlement: Settlement): void {
      const { value } = authorization;
      receipts.set(toPaymentKey(authorization).toLowerCase(), { purpose, size, value, settlement, isOpen: false });
    },
    /** Notes that what was paid for is still owed. */
    reopen(payload: Payload): void {
      const receipt = find(payload);
      if (receipt) receipt.isOpen = true;
    },
    /** Returns the settlement of a payment for which this sale is still owed, or less; from then on it no longer is. */
    claim(payload: Payload, { purpose, size }: Sale): Settlement | undefined {
      const receipt = find(payload);
      if (!receipt?.isOpen || receipt.purpose !== purpose || size > receipt.size) return undefined;
      if (payload.authorization.value !== receipt.value) return undefined;
      receipt.isOpen = false;
      return receipt.settlement;
    },
  };
}
