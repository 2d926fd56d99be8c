import type { PayerOptions } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { clean } from "../output/format.ts";
import { askConsent, askText } from "../secrets/prompt.ts";

/** The package with an API key bound. */
export async function openAccountKit({ load, account, keyCall }: Invocation) {
  const [{ createKit }, apiKey] = await Promise.all([load(), account.apiKey()]);
  return createKit({ ...keyCall, apiKey });
}

/** The package with a signer bound. */
export async function openOwnerKit({ load, account, keyCall }: Invocation) {
  const [{ createKit }, signer] = await Promise.all([load(), account.signer()]);
  return createKit({ ...keyCall, signer });
}

/** Finds who pays: a private key, or the signer command as a wallet; one of both, as options expect. Throws `NO_SIGNER`. */
export async function findPayer({ account }: Invocation) {
  const { provider, privateKey } = await account.find();
  return { signer: provider, privateKey } as Extract<PayerOptions, { privateKey: string }>;
}

/** Asks before something that cannot be undone, unless `--yes` is set. Throws `DECLINED`. */
export async function requireConsent({ flag, output, signal }: Invocation, question: string): Promise<void> {
  if (flag("yes")) return;
  output.clear();
  if (await askConsent(clean(question), "Set --yes if you are sure.", signal)) return;
  throw new UsageError("Nothing was done", "DECLINED");
}

const OTHERWISE = "Set --confirm to the last four characters of the address that you mean.";

/**
 * Asks for the last four characters of an address to which something is given away for good, unless `--confirm` has
 * them: an address that was pasted may be another one. Throws `DECLINED` if they differ.
 */
export async function requireEnding({ option, output, signal }: Invocation, address: string): Promise<void> {
  output.clear();
  const message = "Last four characters of the new owner's address, from where you know it";
  const ending = (option("confirm") ?? (await askText(message, OTHERWISE, signal))).trim().toLowerCase();
  if (ending.length === 4 && address.toLowerCase().endsWith(ending)) return;
  throw new UsageError("The address does not end in these four characters. Nothing was done", "DECLINED");
}

/**
 * Checks what a call would be made with, for a dry run: makes it with a signal that has fired already, so that nothing is
 * sent.
 */
export async function checkOnly(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  try {
    await call(AbortSignal.abort());
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ABORTED") throw error;
  }
}
