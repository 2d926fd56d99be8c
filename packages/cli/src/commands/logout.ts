import type { Invocation } from "../frame/invocation.ts";
import { openKeyring } from "../secrets/keyring.ts";
import { removeLogin } from "../secrets/stored-login.ts";
import { requireConsent } from "../steps/consent.ts";

/** Forgets the API key. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, account, flag, isDryRun } = invocation;
  const login = await account.login();
  if (!login) {
    output.result({ address: null, keyForgotten: false }, { text: () => "Nobody is logged in.", quiet: "" });
    return;
  }
  const { address, store, keystore } = login;
  // A sealed login without a keystore holds the only copy of a key that was typed.
  const losesKey = flag("forgetKey") || (store === "sealed" && keystore === undefined);
  if (losesKey && !isDryRun) {
    await requireConsent(
      invocation,
      `Without a copy of its private key, files of ${address} cannot be opened any more. Forget it?`,
    );
  }
  const keyring = store === "keyring" ? await openKeyring() : undefined;
  if (!isDryRun) {
    await keyring?.remove("api-key");
    if (flag("forgetKey")) await keyring?.remove(`private-key ${address}`).catch(() => undefined);
    await removeLogin();
  }
  const keyForgotten = losesKey && !isDryRun;
  output.result(
    { address, keyForgotten },
    { text: () => `${isDryRun ? "Would log out" : "Logged out"} ${address}`, quiet: "" },
  );
  if (keystore) output.note(`Its keystore is kept: ${keystore}`);
}
