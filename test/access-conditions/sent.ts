import { kavachSetAccessConditions } from "../../src/keys/access/set-access-conditions.ts";
import { failure } from "../support/failure.ts";
import { cid } from "../support/fixtures.ts";
import { createServer, sendJson } from "../support/http-server.ts";

/** Returns the request to the first key node when these conditions are set. All nodes refuse. */
export async function sent(conditions: unknown, chainType?: unknown, aggregator?: unknown, decryptionType?: unknown) {
  const { url, requests } = await createServer((_, response) => sendJson(response, { message: "enough" }, 403));
  const owner = { address: `0x${"0".repeat(40)}`, authToken: "jwt:none", pauseMs: 0, endpoints: { keyNodes: url } };
  const { message } = await failure(
    kavachSetAccessConditions(cid, { ...owner, conditions, chainType, aggregator, decryptionType } as never),
  );
  if (message !== "enough") throw new Error(message);
  return JSON.parse(String(requests[0]?.body)) as {
    conditions: unknown[];
    chainType: string;
    decryptionType: string;
    aggregator?: string;
  };
}
