import type { Invocation } from "../frame/invocation.ts";
import { formatFacts } from "../output/table.ts";
import { readKeystoreAddress } from "../secrets/private-key.ts";

/** Shows the account, and where its secrets come from. Asks for no password. */
export async function run(invocation: Invocation): Promise<void> {
  const { load, account, output, settings } = invocation;
  const { defaultEndpoints } = await load();
  const signer = (await account.getSource()) ?? null;
  const address = await findAddress(invocation, signer);
  const login = account.hasKeyInEnvironment ? undefined : await account.login();
  const apiKey = account.hasKeyInEnvironment ? "environment" : login ? "login" : null;
  if (login && address && login.address.toLowerCase() !== address.toLowerCase()) {
    output.warn(`The login is of ${login.address}: its API key is not used with the key of ${address}`);
  }
  const endpoints = { ...defaultEndpoints, ...settings.endpoints };
  const facts: [string, string][] = [
    ["Account", address ?? "unknown"],
    ["Signs by", signer ?? "nothing: keeplight login"],
    ["API key", apiKey ?? "none: keeplight login"],
    ...Object.entries(endpoints).map(([name, url]): [string, string] => [name, hideCredentials(String(url))]),
  ];
  const shown = Object.fromEntries(
    Object.entries(endpoints).map(([name, url]) => [name, hideCredentials(String(url))]),
  );
  output.result(
    { address, signer, apiKey, endpoints: shown },
    { text: () => formatFacts(facts), quiet: address ?? "" },
  );
}

async function findAddress({ account, settings }: Invocation, signer: string | null): Promise<string | null> {
  if (signer === null) return null;
  if (signer === "login") return (await account.login())?.address ?? null;
  if (signer === "keystore") return readKeystoreAddress(settings.keystore ?? "");
  return (await account.signer()).getAddress();
}

/** A proxy's user and password may be part of a URL. */
function hideCredentials(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//…@");
}
