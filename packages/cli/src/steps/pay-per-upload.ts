import { stat } from "node:fs/promises";
import type { PayPerUploadOptions } from "@keeplight/pay-per-upload";
import type { UploadPayer, UploadReceipt } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean, formatAmount, formatBytes, formatTime } from "../output/format.ts";
import { toSigner } from "../secrets/account.ts";
import { canAsk } from "../secrets/prompt.ts";
import { requireConsent } from "./authority.ts";
import { findNetwork } from "./inputs.ts";

/** Decimals of USDC. */
const DECIMALS = 6;

export const loadPayPerUpload = () => import("@keeplight/pay-per-upload");

/** What an upload that is paid for by itself costs. */
export interface UploadQuote {
  path: string;
  /** As stored, in bytes. */
  size: number;
  /** In the smallest unit of USDC; so is `limit`, the most to pay. */
  amount: bigint;
  limit: bigint;
  days: number;
}

export const formatUsdc = (amount: bigint | string): string => `${formatAmount(BigInt(amount), DECIMALS)} USDC`;

/**
 * Requests the price of the file of `--pay-per-upload`; `undefined` without that option.
 *
 * @throws `USAGE`, `INVALID_FILE`, `PAYMENT_ABOVE_LIMIT`; what `getUploadPrice` throws
 */
export async function quoteUpload(invocation: Invocation, paths: readonly string[]): Promise<UploadQuote | undefined> {
  const limit = readLimit(invocation);
  if (limit === undefined) return undefined;
  const [path = ""] = paths;
  const plain = paths.length === 1 && path !== "-" ? await readSize(path) : undefined;
  if (plain === undefined) throw new UsageError("--pay-per-upload takes one file, by its path");
  const size = invocation.flag("encrypt") ? (await import("keeplight/parts")).encryptedSize(plain) : plain;
  const { getUploadPrice } = await loadPayPerUpload();
  const { amount, days } = await getUploadPrice(size, invocation.call);
  if (amount <= limit) return { path, size, amount, limit, days };
  const message = `The upload costs ${formatUsdc(amount)}, and --pay-per-upload allows ${formatUsdc(limit)}`;
  throw new UsageError(message, "PAYMENT_ABOVE_LIMIT", "Nothing was signed.");
}

function readLimit({ option }: Invocation): bigint | undefined {
  const typed = option("payPerUpload");
  if (typed === undefined && option("network") !== undefined) {
    throw new UsageError("--network is the chain of --pay-per-upload");
  }
  if (typed === undefined) return undefined;
  const [, whole = "", fraction = ""] = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(typed) ?? [];
  if (whole !== "") return BigInt(whole + fraction.padEnd(DECIMALS, "0"));
  throw new UsageError("--pay-per-upload takes an amount of USDC, such as 2.50");
}

/** Returns the size of a file; `undefined` of what is none. */
async function readSize(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${code})`, "INVALID_FILE");
  });
  return found.isFile() ? found.size : undefined;
}

/** States the price, asks for consent in a terminal, unless `--yes` is set, and returns how the upload is paid for. */
export async function agreeToPay(
  invocation: Invocation,
  { path, size, amount, limit, days }: UploadQuote,
): Promise<UploadPayer> {
  const { output, account } = invocation;
  const { payPerUpload } = await loadPayPerUpload();
  const payment = payPerUpload({
    signer: await findUploadPayer(invocation),
    maxAmount: limit,
    network: findUploadNetwork(invocation),
  });
  const from = await (await toSigner(await account.find())).getAddress();
  const price = `${formatUsdc(amount)} for ${days} days of ${clean(path)} (${formatBytes(size)})`;
  if (invocation.flag("yes") || !canAsk()) output.note(`Price: ${price}, paid by ${from}`);
  else {
    const limited = amount === limit ? "" : `, ${formatUsdc(limit)} at most`;
    await requireConsent(invocation, `Pay ${price} from ${from}${limited}, unless it is paid?`);
  }
  return payment;
}

/** Finds who pays for an upload, as {@link findPayer} does for storage: a private key, or the signer command as a wallet. */
export async function findUploadPayer({ account }: Invocation): Promise<PayPerUploadOptions["signer"]> {
  const { provider, privateKey } = await account.find();
  if (provider) return provider;
  const { Wallet } = await import("ethers");
  return new Wallet(privateKey);
}

function findUploadNetwork(invocation: Invocation): PayPerUploadOptions["network"] {
  const network = findNetwork(invocation);
  // The package checks names.
  if (typeof network !== "object") return network as Extract<PayPerUploadOptions["network"], string> | undefined;
  const { chain_id: chainId, rpc, moreRpcs, tokens } = network;
  if (tokens.usdc) return { chainId, rpc, moreRpcs, usdc: tokens.usdc.address };
  throw new UsageError("The chain of --network has no usdc in the configuration", "INVALID_CONFIG");
}

/** Describes what was paid for, in one line. */
export function describeReceipt({ amount, expiresAt, transaction, id }: UploadReceipt): string {
  const paid = amount === undefined ? "Paid before" : `Paid ${formatUsdc(amount)}`;
  const end = expiresAt === undefined ? "" : `, stored until ${formatTime(expiresAt).slice(0, 10)}`;
  const references = [transaction && `transaction ${transaction}`, id && `id ${id}`].filter(Boolean).join(", ");
  return `${paid}${end}${references && `. Receipt: ${references}`}`;
}
