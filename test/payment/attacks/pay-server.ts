import { isKeeplightError, isUnfinished, openJournal, payWithToken } from "../../../src/index.ts";
import type { PayOptions } from "../../../src/payment/index.ts";
import { forwardTo } from "../rpc-proxy.ts";
import type { ServerCall, ServerReport } from "./pay-servers.ts";

// A process that makes payments for tests, which stop and kill it. Its wallet is an endpoint of the test.
process.on("message", async ({ id, options }: ServerCall) => {
  const { folder, walletUrl, address, abortAfterMs, ...payment } = options;
  const request = async ({ method, params = [] }: { method: string; params?: unknown }) =>
    method === "eth_requestAccounts" ? [address] : forwardTo(walletUrl ?? "", method, params);
  const report = await (async (): Promise<ServerReport> => {
    try {
      const journal = folder === undefined ? undefined : await openJournal({ folder });
      const signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs);
      const signer = walletUrl === undefined ? {} : { signer: { request }, privateKey: undefined };
      const all = { pollMs: 5, missingMs: 50, waitMs: 2_000, ...payment, ...signer, journal, signal };
      return { hash: (await payWithToken(all as PayOptions)).hash };
    } catch (error) {
      if (!isKeeplightError(error)) return { code: String(error) };
      const { code, message, details } = error;
      return { code, message, details: { ...details }, isUnfinished: isUnfinished(error) };
    }
  })();
  process.send?.({ id, report });
});
process.send?.({ id: 0, report: {} });
