import { expect, test } from "vitest";
import { getProof } from "../../src/proof/get-proof.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import proof from "../vectors/podsi-calibration.json" with { type: "json" };

const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

test("the proof of a real deal comes through as it is", async () => {
  const { url } = await createServer((_, response) => sendJson(response, proof));
  expect(await getProof(cid, { endpoints: endpointsAt(url) })).toEqual(proof);
});
