import { expect, test } from "vitest";
import { getProof } from "../../src/storage/files/proofs.ts";
import { cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import proof from "../vectors/podsi-calibration.json" with { type: "json" };

test("the proof of a real deal is returned unchanged", async () => {
  const { url } = await createServer((_, response) => sendJson(response, proof));
  expect(await getProof(cid, { endpoints: endpointsAt(url) })).toEqual(proof);
});
