import type { StoredMap } from "../state/stored-map.ts";
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

/** Creates the list of the payments that were made, with what is still owed for each. */
export function createReceipts(receipts: StoredMap<Receipt>) {
  const toKey = ({ authorization }: Payload) => toPaymentKey(authorization).toLowerCase();
  return {
    add(payload: Payload, { purpose, size }: Sale, settlement: Settlement): void {
      const { value } = payload.authorization;
      receipts.set(toKey(payload), { purpose, size, value, settlement, isOpen: false });
    },
    /** Notes that what was paid for is still owed. */
    reopen(payload: Payload): void {
      const receipt = receipts.get(toKey(payload));
      if (receipt) receipts.set(toKey(payload), { ...receipt, isOpen: true });
    },
    /** Returns the settlement of a payment for which this sale is still owed, or less; from then on it no longer is. */
    claim(payload: Payload, { purpose, size }: Sale): Settlement | undefined {
      const receipt = receipts.get(toKey(payload));
      if (!receipt?.isOpen || receipt.purpose !== purpose || size > receipt.size) return undefined;
      if (payload.authorization.value !== receipt.value) return undefined;
      receipts.set(toKey(payload), { ...receipt, isOpen: false });
      return receipt.settlement;
    },
  };
}
