import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { account, add, cat, getApiKey, getJwt, send } from "../../../test/support/devnet-wire.ts";
import type { Devnet } from "../src/index.ts";
import type { Service } from "./service-rig.ts";

interface StoredFile {
  cid: string;
  name: string;
  content: string;
}

interface Saved {
  cid: string;
  node: number;
  key: string;
}

interface Name {
  ipnsName: string;
  ipnsId: string;
}

interface Listed {
  id: string;
  cid: string;
  fileName: string;
}

/**
 * Creates clients that remember what a devnet has answered to them, while it is killed and started again. What it was about
 * to answer may have happened or not.
 */
export function createClients() {
  const files: StoredFile[] = [];
  const deleted: Listed[] = [];
  const saved: Saved[] = [];
  const shared: Saved[] = [];
  const names: Name[] = [];
  const published: (Name & { cid: string })[] = [];
  const apiKeys: string[] = [];
  /** Signed in once: the tokens outlive every restart. */
  let tokens: { owner: string; friend: string } | undefined;

  async function signIn(devnet: Devnet) {
    tokens ??= {
      owner: (await getJwt(devnet, account(devnet, 0))).token,
      friend: (await getJwt(devnet, account(devnet, 1))).token,
    };
    return tokens;
  }

  async function upload(devnet: Devnet): Promise<StoredFile> {
    const name = randomBytes(8).toString("hex");
    const content = name.repeat(1 + (files.length % 40) * 1_000);
    const response = await add(devnet, keyOf(devnet), { [name]: content });
    const { Hash: cid } = (await response.json()) as { Hash: string };
    return { cid, name, content };
  }

  const list = async (devnet: Devnet) => {
    const path = `${devnet.endpoints.api}/api/user/files_uploaded?lastKey=null`;
    return (await call<{ fileList: Listed[] }>("GET", path, undefined, keyOf(devnet))).fileList;
  };

  const calls: readonly ((devnet: Devnet) => Promise<void>)[] = [
    async function store(devnet) {
      files.push(await upload(devnet));
    },
    async function remove(devnet) {
      const { name } = await upload(devnet);
      const file = (await list(devnet)).find(({ fileName }) => fileName === name);
      if (!file) throw new Error("an answered upload is not listed");
      const url = `${devnet.endpoints.api}/api/user/delete_file?id=${file.id}`;
      await call("DELETE", url, undefined, keyOf(devnet));
      deleted.push(file);
    },
    async function share(devnet) {
      const { owner } = await signIn(devnet);
      const cid = randomBytes(8).toString("hex");
      for (let node = 1; node <= 5; node++) {
        const url = `${devnet.endpoints.keyNodes}/api/setSharedKey/${node}`;
        const key = randomBytes(32).toString("hex");
        const fields = { address: account(devnet, 0).address, cid };
        await call("POST", url, { ...fields, payload: { key, index: "01" } }, owner);
        saved.push({ cid, node, key });
        await call("PUT", url, { ...fields, shareTo: [account(devnet, 1).address] }, owner);
        shared.push({ cid, node, key });
      }
    },
    async function publish(devnet) {
      const ipns = (path: string) =>
        call<Name>("GET", `${devnet.endpoints.api}/api/ipns/${path}`, undefined, keyOf(devnet));
      const name = await ipns("generate_key");
      names.push(name);
      const { cid } = await upload(devnet);
      await ipns(`publish_record?cid=${cid}&keyName=${name.ipnsName}`);
      published.push({ ...name, cid });
    },
    async function createKey(devnet) {
      const key = await getApiKey(devnet, account(devnet, 2));
      apiKeys.push(key);
    },
  ];

  const getCounts = () => ({
    uploads: files.length,
    deletions: deleted.length,
    savedShards: saved.length,
    sharedShards: shared.length,
    names: published.length,
    apiKeys: apiKeys.length,
  });
  const countAnswers = () => Object.values(getCounts()).reduce((sum, count) => sum + count, 0);

  return {
    /** Repeats all kinds of calls until the devnet is gone; calls `onBusy` once several more of them were answered. */
    async run(service: Service, answers: number, onBusy: () => void): Promise<void> {
      const devnet = service as unknown as Devnet;
      const start = countAnswers();
      const repeat = async (repeated: (devnet: Devnet) => Promise<void>) => {
        await repeated(devnet);
        if (countAnswers() - start >= answers) onBusy();
      };
      await Promise.all(calls.map((repeated) => repeatUntilGone(() => repeat(repeated))));
    },

    /** How many calls of each kind were answered. */
    getCounts,

    /** Fails unless everything that was answered is there. */
    async verify(service: Service) {
      const devnet = service as unknown as Devnet;
      const listed = await list(devnet);
      const ids = new Set(listed.map(({ id }) => id));
      const byName = new Map(listed.map((file) => [file.fileName, file.cid]));
      for (const { name, cid, content } of files) {
        expect(byName.get(name)).toBe(cid);
        expect(Buffer.from(await cat(devnet, cid)).toString()).toBe(content);
      }
      for (const { id } of deleted) expect(ids.has(id)).toBe(false);

      const ask = async ({ cid, node }: Saved, n: number, bearer = "") => {
        const fields = { address: account(devnet, n).address, cid };
        const url = `${devnet.endpoints.keyNodes}/api/retrieveSharedKey/${node}`;
        return (await call<{ payload: { key: string } }>("POST", url, fields, bearer)).payload.key;
      };
      for (const one of saved) expect(await ask(one, 0, tokens?.owner)).toBe(one.key);
      for (const one of shared) expect(await ask(one, 1, tokens?.friend)).toBe(one.key);

      const url = `${devnet.endpoints.api}/api/ipns/get_ipns_records`;
      const records = await call<(Name & { cid: string | null })[]>("GET", url, undefined, keyOf(devnet));
      const known = new Map(records.map(({ ipnsName, ...record }) => [ipnsName, record]));
      for (const { ipnsName, ipnsId } of names) expect(known.get(ipnsName)).toMatchObject({ ipnsId });
      for (const { ipnsName, cid } of published) expect(known.get(ipnsName)).toMatchObject({ cid });

      for (const key of apiKeys) {
        await call("GET", `${devnet.endpoints.api}/api/user/user_data_usage`, undefined, key);
      }
    },
  };
}

const keyOf = (devnet: Devnet) => account(devnet, 0).apiKey ?? "";

/** Returns the body of a response; a refusal is a failure of the devnet. */
async function call<Body>(...[method, url, fields, bearer]: Parameters<typeof send>): Promise<Body> {
  const { status, body } = await send(method, url, fields, bearer);
  if (status !== 200) throw new Refused(`${method} ${url}: status ${status}: ${JSON.stringify(body)}`);
  return body as Body;
}

class Refused extends Error {}

/** Repeats a call until a connection fails. Other failures are the devnet's. */
async function repeatUntilGone(repeated: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await repeated();
    } catch (error) {
      // fetch fails with a TypeError, also where the body of a response was cut
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}
