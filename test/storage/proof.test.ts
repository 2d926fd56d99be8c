import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { getProof } from "../../src/storage/proof.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const sample = new URL("../../../shared/vectors/podsi-calibration.json", import.meta.url);

test.skipIf(!existsSync(sample))("the proof of a real deal comes through as it is", async () => {
  const proof = JSON.parse(readFileSync(sample, "utf8"));
  const { url } = await createServer((_, response) => sendJson(response, proof));
  expect(await getProof(cid, { endpoints: endpointsAt(url) })).toEqual(proof);
});
