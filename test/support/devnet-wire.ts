import { Wallet } from "ethers";
import { afterAll, beforeAll } from "vitest";
import { type Account, type Devnet, type DevnetOptions, startDevnet } from "../../packages/devnet/src/index.ts";

/** Starts a devnet for all tests of a file; the returned function returns it while they run. */
export function devnetForTests(options: DevnetOptions = {}): () => Devnet {
  let devnet: Devnet | undefined;
  beforeAll(async () => {
    devnet = await startDevnet(options);
  });
  afterAll(() => devnet?.close());
  return () => {
    if (!devnet) throw new Error("the devnet runs only during tests");
    return devnet;
  };
}

/** Returns the devnet's nth wallet. */
export function account(devnet: Devnet, n: number): Account {
  const found = devnet.accounts[n];
  if (!found) throw new Error(`the devnet has no account ${n}`);
  return found;
}

/** A response: its status, and its body, parsed unless it is HTML. */
export interface Reply {
  status: number;
  body: unknown;
}

/** Sends a request with plain fetch: these tests do not trust the client's own HTTP. */
export async function send(method: string, url: string, fields?: unknown, bearer?: string): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: {
      "content-type": "application/json",
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    ...(fields === undefined ? {} : { body: JSON.stringify(fields) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("<") ? text : JSON.parse(text) };
}

/** Signs with the account's key. */
export function sign({ privateKey }: Account, message: unknown): Promise<string> {
  return new Wallet(privateKey).signMessage(String(message));
}

/** Creates an API key. */
export async function getApiKey({ endpoints }: Devnet, owner: Account): Promise<string> {
  const { body: message } = await send("GET", `${endpoints.api}/api/auth/get_auth_message?publicKey=${owner.address}`);
  const signedMessage = await sign(owner, message);
  const created = await send("POST", `${endpoints.api}/api/auth/create_api_key`, {
    publicKey: owner.address,
    signedMessage,
  });
  return String(created.body);
}

/** Signs the key nodes' current message. */
export async function signNodeMessage({ endpoints }: Devnet, owner: Account): Promise<string> {
  const { body } = await send("GET", `${endpoints.keyNodes}/api/message/${owner.address}`);
  return sign(owner, (body as [{ message: string }])[0].message);
}

/** Creates a JWT and its refresh token. */
export async function getJwt(devnet: Devnet, owner: Account): Promise<{ token: string; refreshToken: string }> {
  const signature = await signNodeMessage(devnet, owner);
  const { body } = await send("POST", `${devnet.endpoints.keyNodes}/api/message/get-jwt`, {
    address: owner.address,
    signature,
    chain: "ALL",
  });
  return body as { token: string; refreshToken: string };
}

/** Uploads files, a record of names to contents, as a browser does. */
export async function add(
  { endpoints }: Devnet,
  bearer: string,
  files: Readonly<Record<string, BlobPart>>,
  query = "cid-version=1",
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) form.append("file", new Blob([content]), name);
  return fetch(`${endpoints.upload}/api/v0/add?${query}`, {
    method: "POST",
    body: form,
    headers: { authorization: `Bearer ${bearer}`, ...headers },
  });
}

/** Downloads the bytes of a content id or a path below one. */
export async function cat({ endpoints }: Devnet, path: string): Promise<Uint8Array> {
  const response = await fetch(`${endpoints.gateway}/ipfs/${path}`);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
