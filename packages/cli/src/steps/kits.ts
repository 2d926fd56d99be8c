import type { Invocation } from "../frame/invocation.ts";

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

/** The package with both bound. */
export async function openFullKit({ load, account, keyCall }: Invocation) {
  const { createKit } = await load();
  return createKit({ ...keyCall, ...(await account.owner()) });
}
