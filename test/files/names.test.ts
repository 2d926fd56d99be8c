import { expect, test } from "vitest";
import { ipnsPublishRecord } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { cid, opaqueCid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

/** Publishes {@link cid} at a network that confirms `value`. */
async function publish(value: string) {
  const { url } = await createServer((_, response) => sendJson(response, { Name: "k51", Value: value }));
  return ipnsPublishRecord({ cid, keyName: "name", apiKey: "key", endpoints: endpointsAt(url) });
}

/** {@link cid} in base16. */
const sameCid = "f01551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9";

test.each([`/ipfs/${cid}`, `/ipfs/${sameCid}`, cid, ""])(
  "a name is published if the network confirms %j",
  async (value) => {
    expect(await publish(value)).toEqual({ Name: "k51", Value: value });
  },
);

test.each([`/ipfs/${opaqueCid}`, opaqueCid, `/ipns/${cid}`])("the confirmation of %j is refused", async (value) => {
  expect(await failure(publish(value))).toMatchObject({
    code: "INVALID_RESPONSE",
    message: "The network confirmed another content id",
    details: { method: "GET", url: "/api/ipns/publish_record" },
  });
});
