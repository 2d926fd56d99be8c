import { isDeepStrictEqual } from "node:util";
import type { Sent, SignedTransfers } from "../chain/signed-transfers.ts";
import { type Payload, type Payment, type Requirements, readPayload, type Settlement } from "./payment.ts";

/** Seconds that an authorization has to remain valid. */
const BLOCK_TIME = 6;

/** Hex characters of an ECDSA signature after `0x`. */
const ECDSA_LENGTH = 130;

export type Facilitator = ReturnType<typeof createFacilitator>;

/** Creates what checks payments and makes their transfers. The reasons are those of the protocol's own facilitator. */
export function createFacilitator(transfers: SignedTransfers) {
  /** Returns why a payment is not valid, apart from what only the chain knows. */
  async function findFlaw({ authorization, signature }: Payload, { amount, payTo }: Requirements) {
    if (!(await transfers.isSigned(authorization, signature))) {
      if (signature.length - 2 <= ECDSA_LENGTH) return "invalid_exact_evm_signature";
      // a contract may accept in a transaction what it does not accept here
      if (!(await transfers.isContract(authorization.from))) return "invalid_exact_evm_payload_undeployed_smart_wallet";
    }
    const now = Math.floor(Date.now() / 1_000);
    const { to, value, validAfter, validBefore } = authorization;
    if (to.toLowerCase() !== payTo.toLowerCase()) return "invalid_exact_evm_recipient_mismatch";
    if (BigInt(validBefore) < now + BLOCK_TIME) return "invalid_exact_evm_payload_authorization_valid_before";
    if (BigInt(validAfter) > now) return "invalid_exact_evm_payload_authorization_valid_after";
    if (BigInt(value) !== BigInt(amount)) return "invalid_exact_evm_authorization_value";
    return undefined;
  }

  /** Returns why the chain would refuse a transfer. */
  async function diagnose({ authorization }: Payload): Promise<string> {
    if (await transfers.isUsed(authorization)) return "invalid_exact_evm_nonce_already_used";
    const balance = await transfers.getBalance(authorization.from);
    if (balance < BigInt(authorization.value)) return "invalid_exact_evm_insufficient_balance";
    return "invalid_exact_evm_transaction_simulation_failed";
  }

  return {
    /** Address of the token. */
    asset: transfers.address,
    isSigned: ({ authorization, signature }: Payload) => transfers.isSigned(authorization, signature),

    /** Returns what pays, or why it does not. Nothing is paid yet. */
    async verify(payment: Payment, requirements: Requirements): Promise<Payload | string> {
      if (payment.x402Version !== 2) return `Unsupported x402 version: ${payment.x402Version}`;
      if (!isDeepStrictEqual(payment.accepted, requirements)) return "No matching payment requirements";
      const payload = readPayload(payment);
      if (!payload) return "invalid_payload";
      const flaw = await findFlaw(payload, requirements);
      if (flaw !== undefined) return flaw;
      const { authorization, signature } = payload;
      return (await transfers.canSucceed(authorization, signature)) ? payload : diagnose(payload);
    },

    /** Checks a payment again, makes its transfer, and waits until it is mined. */
    async settle(payload: Payload, requirements: Requirements): Promise<Settlement> {
      const { authorization, signature } = payload;
      try {
        const flaw = await findFlaw(payload, requirements);
        if (flaw !== undefined) return toFailure(payload, requirements, flaw);
        return toSettlement(payload, requirements, await transfers.send(authorization, signature));
      } catch (error) {
        return toFailure(payload, requirements, readRevert(error));
      }
    },

    /** Makes a transfer without any check, also one that is reverted. */
    force: ({ authorization, signature }: Payload) => transfers.send(authorization, signature, true),
  };
}

function toSettlement(payload: Payload, requirements: Requirements, { transaction, isReverted }: Sent): Settlement {
  if (isReverted) return toFailure(payload, requirements, "invalid_exact_evm_transaction_failed", transaction);
  return { success: true, transaction, network: requirements.network, payer: payload.authorization.from };
}

/** The settlement of a payment that was not made. */
export function toFailure(
  { authorization }: Payload,
  { network }: Requirements,
  errorReason: string,
  transaction = "",
): Settlement {
  return { success: false, errorReason, transaction, network, payer: authorization.from };
}

/** Selector of the token's error `ERC20InsufficientBalance`. */
const INSUFFICIENT_BALANCE = "0xe450d38c";

const reverts: readonly (readonly [RegExp, string])[] = [
  [/authorization is expired/, "invalid_exact_evm_payload_authorization_valid_before"],
  [/authorization is not yet valid/, "invalid_exact_evm_payload_authorization_valid_after"],
  [/authorization is used/, "invalid_exact_evm_nonce_already_used"],
  [new RegExp(`${INSUFFICIENT_BALANCE}|InsufficientBalance`), "invalid_exact_evm_insufficient_balance"],
  [/invalid signature/, "invalid_exact_evm_signature"],
];

function readRevert(error: unknown): string {
  const known = reverts.find(([words]) => words.test(String(error)));
  return known?.[1] ?? "invalid_exact_evm_transaction_failed";
}
