import { CID } from "multiformats/cid";
import { beforeAll, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey, send } from "../../../test/support/devnet-wire.ts";

const devnet = devnetForTests({ proofDelayMs: 500 });
const api = (path: string, bearer?: string) =>
  send("GET", `${devnet().endpoints.api}/api/lighthouse/${path}`, undefined, bearer);
const getStatus = async (cid: string) => (await api(`pdp_deal_status?cid=${cid}`)).body;
const keys: string[] = [];
const upload = async (bearer: string | undefined, content: string) =>
  ((await (await add(devnet(), bearer ?? "", { a: content }, "cid-version=0")).json()) as { Hash: string }).Hash;
beforeAll(async () => {
  for (const n of [0, 1]) keys.push(await getApiKey(devnet(), account(devnet(), n)));
});

test("a deal is pending after its request, and completed after a delay", async () => {
  const cid = await upload(keys[0], "proved");
  expect(await getStatus(cid)).toEqual([]);
  expect(await api(`pdp_deal_request?cid=${cid}`, keys[0])).toEqual({ status: 200, body: "Success" });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const deal = {
    publicKey: account(devnet(), 0).address,
    dealStatus: "pending",
    updatedAt: time,
    createdAt: time,
    transactionDetails: {
      RootCID: cid,
      DownloadURL: expect.stringMatching(/^https:/),
      TXHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    },
    cid,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  };
  const pending = (await getStatus(cid)) as object[];
  expect(pending).toEqual([deal]);
  await expect.poll(() => getStatus(cid)).toMatchObject([{ dealStatus: "completed" }]);
  const [completed] = (await getStatus(cid)) as { createdAt: string; updatedAt: string }[];
  expect(completed).toEqual({ ...pending[0], dealStatus: "completed", updatedAt: time });
  expect(Date.parse(completed?.updatedAt ?? "") - Date.parse(completed?.createdAt ?? "")).toBe(500);
});

test("a second request changes nothing, in any encoding of the content id; another account has its own deal", async () => {
  const cid = await upload(keys[0], "twice");
  await upload(keys[1], "twice");
  const encoded = CID.parse(cid).toV1().toString();
  await api(`pdp_deal_request?cid=${cid}`, keys[0]);
  const [first] = (await getStatus(cid)) as { id: string }[];
  expect((await api(`pdp_deal_request?cid=${encoded}`, keys[0])).body).toBe("Success");
  expect(await getStatus(encoded)).toMatchObject([{ id: first?.id, cid }]);
  await api(`pdp_deal_request?cid=${cid}`, keys[1]);
  expect(await getStatus(cid)).toMatchObject([{ id: first?.id }, { publicKey: account(devnet(), 1).address }]);
});

test("only those who store a file can request a deal for it", async () => {
  const cid = await upload(keys[0], "own");
  const unknown = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn";
  const missing = { status: 404, body: { message: "File not found" } };
  expect(await api(`pdp_deal_request?cid=${cid}`, keys[1])).toEqual(missing);
  expect(await api(`pdp_deal_request?cid=${unknown}`, keys[0])).toEqual(missing);
  expect((await api(`pdp_deal_request?cid=${cid}`)).status).toBe(401);
  expect((await api("pdp_deal_request?cid=x", keys[0])).status).toBe(400);
  expect((await api("pdp_deal_status?cid=x")).status).toBe(400);
  expect([await getStatus(cid), await getStatus(unknown)]).toEqual([[], []]);
});
