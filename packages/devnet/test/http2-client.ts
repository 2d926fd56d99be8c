import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { sign } from "../../../test/support/devnet-wire.ts";
import type { Account, Devnet } from "../src/index.ts";

/** A request. */
export interface Http2Request {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as it is read. */
  body?: Iterable<Uint8Array>;
}

/** A whole response. */
export interface Http2Response {
  headers: Readonly<Record<string, unknown>>;
  body: Buffer;
}

/** Requests a URL over HTTP/2 and a connection of its own; rejects if the response is not whole. */
export async function sendHttp2(url: string, ca: string | undefined, init: Http2Request = {}): Promise<Http2Response> {
  const session = connect(url, { ca });
  try {
    return await sendOver(session, new URL(url), init);
  } finally {
    session.destroy();
  }
}

/** Requests a URL over a connection; rejects if the response is not whole. */
export async function sendOver(session: ClientHttp2Session, url: URL, init: Http2Request): Promise<Http2Response> {
  const { method = "GET", headers = {}, body = [] } = init;
  const stream = session.request(
    { ":method": method, ":path": url.pathname + url.search, ...headers },
    { endStream: false },
  );
  const failed = new Promise<never>((_, reject) => {
    stream.once("error", reject);
    // a lost connection is no error of its requests
    stream.once("close", () => reject(new Error("closed")));
  });
  const responded = once(stream, "response");
  responded.catch(() => {});
  const read = async (): Promise<Http2Response> => {
    for (const chunk of body) if (!stream.write(chunk)) await once(stream, "drain");
    stream.end();
    const [received] = await responded;
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return { headers: received, body: Buffer.concat(chunks) };
  };
  return Promise.race([read(), failed]);
}

/** Creates an API key over HTTP/2. */
export async function getApiKeyOverHttp2({ endpoints, certificate }: Devnet, owner: Account): Promise<string> {
  const url = `${endpoints.api}/api/auth/get_auth_message?publicKey=${owner.address}`;
  const message = await sendHttp2(url, certificate);
  const signedMessage = await sign(owner, JSON.parse(message.body.toString()));
  const fields = Buffer.from(JSON.stringify({ publicKey: owner.address, signedMessage }));
  const create = `${endpoints.api}/api/auth/create_api_key`;
  const created = await sendHttp2(create, certificate, { method: "POST", body: [fields] });
  return JSON.parse(created.body.toString());
}
