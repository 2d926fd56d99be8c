import { Wallet } from "ethers";
import { handleWalletCall } from "../devnet/wallet.ts";
import type { RunningApp } from "./app.ts";
import type { Person } from "./person.ts";

/** A wallet in a person's browser, controlled by the test. */
export interface TestWallet {
  /** Rejects the next call of this method, as its user might. */
  rejectNext(method: string): void;
  /** Leaves calls of this method without a response until the returned function is called. */
  hold(method: string): () => void;
  /** How many calls of this method it has carried out. */
  count(method: string): number;
  /** Switches to another account of the devnet, and notifies the page. */
  changeAccount(at: number): Promise<void>;
}

/** The icon that the wallet announces. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" rx="2" fill="#7a3cc8"/><circle cx="4" cy="4" r="2" fill="#fff"/></svg>';

/** Injects a wallet (EIP-1193) with the devnet's accounts into a person's pages, and announces it (EIP-6963). */
export async function injectWallet(
  { context, page }: Pick<Person, "context" | "page">,
  { devnet }: RunningApp,
): Promise<TestWallet> {
  const wallets = devnet.accounts.map(({ privateKey }) => new Wallet(privateKey));
  const rejected = new Set<string>();
  const held = new Map<string, Promise<void>>();
  const counts = new Map<string, number>();
  let current = wallets[0] as Wallet;

  await context.exposeFunction("callTestWallet", async (method: string, params: unknown[]) => {
    if (rejected.delete(method)) return { error: { message: "User rejected the request.", code: 4001 } };
    await held.get(method);
    try {
      counts.set(method, (counts.get(method) ?? 0) + 1);
      const call = { address: current.address, method, params };
      return { result: await handleWalletCall(call, [current], devnet.chain) };
    } catch (error) {
      const { message, code = -32_603 } = error as Error & { code?: unknown };
      return { error: { message, code } };
    }
  });
  await context.addInitScript(runInPage, `data:image/svg+xml,${encodeURIComponent(icon)}`);
  await page.reload();
  return {
    rejectNext: (method) => void rejected.add(method),
    hold(method) {
      let release: () => void = () => undefined;
      const pending = new Promise<void>((resolve) => {
        release = resolve;
      });
      held.set(method, pending);
      return () => {
        held.delete(method);
        release();
      };
    },
    count: (method) => counts.get(method) ?? 0,
    async changeAccount(at) {
      current = wallets[at] as Wallet;
      await page.evaluate((address) => {
        (window as unknown as InPage).emitAccounts([address]);
      }, current.address);
    },
  };
}

/** The functions by which the test and the wallet in the page call each other. */
interface InPage {
  callTestWallet(
    method: string,
    params: readonly unknown[],
  ): Promise<{ result?: unknown; error?: { message: string; code: number } }>;
  emitAccounts(accounts: readonly string[]): void;
}

/** Runs in the page: announces the wallet, whose calls `callTestWallet` carries out. */
export function runInPage(icon: string): void {
  const inPage = window as unknown as InPage;
  const listeners = new Set<(accounts: readonly string[]) => void>();
  const provider = {
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      const { result, error } = await inPage.callTestWallet(method, params);
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
    on: (event: string, listener: (accounts: readonly string[]) => void) =>
      event === "accountsChanged" && listeners.add(listener),
    removeListener: (_: string, listener: (accounts: readonly string[]) => void) => listeners.delete(listener),
  };
  inPage.emitAccounts = (accounts) => {
    for (const listener of listeners) listener(accounts);
  };
  const info = { uuid: "4a0c1f0e-3d5b-4b43-8a5e-1a2b3c4d5e6f", name: "Harbour Wallet", icon, rdns: "test.harbour" };
  const announce = () =>
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}
