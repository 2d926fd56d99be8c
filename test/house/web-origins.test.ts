import { expect, test } from "vitest";
import { createSecurityHeaders } from "../../apps/web/build/security-headers.ts";
import { getChainRpcs } from "../../apps/web/src/file/chain-rpc.ts";
import { listPayableNetworks } from "../../apps/web/src/storage/payable-networks.ts";
import { defaultEndpoints } from "../../src/index.ts";

const publicNetwork = { name: "Public network", endpoints: defaultEndpoints };

test("the web app's policy names each site that the app connects to, and no other", () => {
  const payable = listPayableNetworks(publicNetwork).flatMap(({ network: { rpc, moreRpcs = [] } }) => [
    rpc,
    ...moreRpcs,
  ]);
  // It names no storage class, and does not pay per upload.
  const { walrusUpload: _, x402: __, ...endpoints } = defaultEndpoints;
  const urls = [...Object.values(endpoints), ...payable, ...Object.values(getChainRpcs(publicNetwork))];
  const policy = createSecurityHeaders()["Content-Security-Policy"] ?? "";
  const named = /connect-src ([^;]*)/
    .exec(policy)?.[1]
    ?.split(" ")
    .filter((source) => source.startsWith("https:"));
  expect(named?.sort()).toEqual([...new Set(urls.map((url) => new URL(url).origin))].sort());
});
