import { Wallet } from "ethers";
import { createApiKey, createKit, openJournal } from "../../../src/index.ts";
import type { Entry } from "../../../src/journal/entries.ts";
import { getEntries, type JournalLike, toJournal } from "../../../src/journal/handle.ts";
import { createServer, type RecordedRequest } from "../../../test/support/http-server.ts";
import type { Devnet } from "../../devnet/src/index.ts";
import { type Drive, openDrive } from "../src/index.ts";
import { closeAfterTest } from "./drive-for-tests.ts";

/** A response as a proxy passes it on. */
export interface Passed {
  status: number;
  type: string;
  body: Buffer;
}

/** Changes or replaces the response to a request; `send` has it served. */
export type Intercept = (request: RecordedRequest, send: () => Promise<Passed>) => Passed | Promise<Passed>;

/** A service between a drive and one of the devnet, which may do to requests whatever it likes. */
export interface ServiceProxy {
  url: string;
  requests: RecordedRequest[];
  intercept: Intercept | undefined;
}

export async function startProxy(service: string): Promise<ServiceProxy> {
  const server = await createServer(async (request, response, incoming) => {
    const send = async (): Promise<Passed> => {
      const {
        host: _,
        connection: __,
        "content-length": ___,
        "transfer-encoding": ____,
        expect: _____,
        ...headers
      } = request.headers;
      const hasBody = request.method !== "GET" && request.method !== "HEAD";
      const served = await fetch(`${service}${incoming.url}`, {
        method: request.method,
        headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
        ...(hasBody && { body: new Uint8Array(request.body) }),
      });
      const type = served.headers.get("content-type") ?? "application/octet-stream";
      return { status: served.status, type, body: Buffer.from(await served.arrayBuffer()) };
    };
    const { status, type, body } = await (proxy.intercept ? proxy.intercept(request, send) : send());
    response.writeHead(status, { "content-type": type, "content-length": body.length }).end(body);
  });
  const proxy: ServiceProxy = { url: server.url, requests: server.requests, intercept: undefined };
  return proxy;
}

export const toJson = (value: unknown, status = 200): Passed => ({
  status,
  type: "application/json",
  body: Buffer.from(JSON.stringify(value)),
});

/** A row of a listing. */
export interface Row {
  id: string;
  cid: string;
  fileName: string;
  encryption: boolean;
  [field: string]: unknown;
}

export const isListing = ({ path }: RecordedRequest) => path === "/api/user/files_uploaded";

/** Id of a row that the API host has made up. */
const FORGED = "forged";

/** Changes the rows of the listing. */
export function changeRows(change: (rows: Row[]) => Row[]): Intercept {
  return async (request, send) => {
    // The page after a row that is not in the listing.
    if (isListing(request) && request.query["lastKey"] === FORGED) return toJson({ fileList: [], totalFiles: 0 });
    const served = await send();
    if (!isListing(request) || served.status !== 200) return served;
    const page = JSON.parse(String(served.body)) as { fileList: Row[]; totalFiles: number };
    const fileList = change(page.fileList);
    return toJson({ ...page, fileList, totalFiles: fileList.length });
  };
}

/** What is done before an entry of a journal is written. */
type BeforeWrite = (kind: string, state: unknown) => Promise<void> | void;

/** A journal of a process that can be killed: then it writes nothing more, and what it owned is left to others. */
function mortalJournal(journal: JournalLike, before: BeforeWrite = () => undefined) {
  const entries = getEntries(journal);
  const owned = new Set<Entry>();
  let isDead = false;
  const assertAlive = () => {
    if (isDead) throw new Error("killed");
  };

  async function follow<State>(opening: Promise<Entry<State>>): Promise<Entry<State>> {
    const entry = await opening;
    if (isDead) await entry.release();
    assertAlive();
    owned.add(entry as Entry);
    const end = (act: () => Promise<void>) => async () => {
      if (isDead) return;
      owned.delete(entry as Entry);
      await act();
    };
    return Object.create(entry, {
      update: {
        value: async (change: Partial<State>) => {
          assertAlive();
          await before(entry.kind, change);
          assertAlive();
          await entry.update(change);
          assertAlive();
        },
      },
      note: { value: (change: Partial<State>) => (isDead ? undefined : entry.note(change)) },
      complete: { value: end(entry.complete) },
      erase: { value: end(entry.erase) },
      release: { value: end(entry.release) },
    }) as Entry<State>;
  }

  const mortal = toJournal(
    { place: journal.place },
    {
      ...entries,
      async start<State>(kind: string, state: State, options?: { durable: boolean }) {
        assertAlive();
        await before(kind, state);
        return follow(entries.start(kind, state, options));
      },
      async acquire(id: string) {
        assertAlive();
        return follow(entries.acquire(id));
      },
      async open<State>(kind: string, name: string, initial: State) {
        assertAlive();
        return follow(entries.open(kind, name, initial));
      },
    },
  );
  return {
    journal: mortal,
    async kill() {
      isDead = true;
      for (const entry of owned) await entry.release();
      owned.clear();
    },
  };
}

/** Creates an account of its own. */
export async function createOwner({ endpoints }: Devnet) {
  const signer = Wallet.createRandom();
  const own = { signer, endpoints, pauseMs: 0, retryMs: 0 };
  const apiKey = await createApiKey({ signer, endpoints });
  return {
    apiKey,
    own,
    kit: createKit({ ...own, apiKey }),
    /** Opens its drive with a journal in this folder, as a process that can be killed. */
    async open(folder: string, changes: object = {}, before?: BeforeWrite) {
      const { journal, kill } = mortalJournal(await openJournal({ folder }), before);
      const drive = await openDrive({ ...own, apiKey, journal, ...changes });
      closeAfterTest(drive);
      return { drive, kill };
    },
    resumeAll: async (folder: string) => (await openJournal({ folder })).resumeAll({ ...own, apiKey }),
  };
}

export type Owner = Awaited<ReturnType<typeof createOwner>>;

export const paths = (entries: readonly { path: string }[]) => entries.map(({ path }) => path);

export const allPaths = (drive: Drive) => paths(drive.search(""));

export const text = (content: string, name: string) => new File([content], name);

/** Returns a promise that is open until the returned function is called. */
export function createBarrier() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Opens a drive in a page that is killed while it uploads a file: once the file is sent, before it learns of it. */
export async function killUpload(
  devnet: Devnet,
  owner: Owner,
  folder: string,
  add: (drive: Drive) => Promise<unknown>,
) {
  const upload = await startProxy(devnet.endpoints.upload);
  const barrier = createBarrier();
  const held = createBarrier();
  const page = await owner.open(folder, { endpoints: { ...devnet.endpoints, upload: upload.url } });
  upload.intercept = async (_, send) => {
    const served = await send();
    held.open();
    await barrier.opened;
    return served;
  };
  const adding = add(page.drive).catch(() => undefined);
  await held.opened;
  await page.kill();
  barrier.open();
  await adding;
}

/** An account, whose requests to the API host go through a proxy. */
export async function hostileApi(devnet: Devnet) {
  const owner = await createOwner(devnet);
  const proxy = await startProxy(devnet.endpoints.api);
  const endpoints = { ...devnet.endpoints, api: proxy.url };
  return { owner, proxy, changes: { endpoints } };
}

/** Lists the stored versions of a drive. */
export const listVersions = async (owner: Owner) => {
  const found: { id: string; cid: string; fileName: string | null }[] = [];
  for await (const row of owner.kit.iterateFiles()) if (row.fileName === "keeplight-drive") found.push(row);
  return found;
};

/** Returns a row of the listing that the API host has made up. */
export const forge = (row: Partial<Row>): Row => ({
  id: FORGED,
  cid: "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq",
  fileName: "keeplight-drive",
  encryption: false,
  fileSizeInBytes: "100",
  mimeType: "application/octet-stream",
  createdAt: 1_700_000_000_000,
  lastUpdate: 1_700_000_000_000,
  publicKey: "",
  status: "queued",
  txHash: "",
  ...row,
});
