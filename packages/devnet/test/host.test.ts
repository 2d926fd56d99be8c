import { once } from "node:events";
import { createServer } from "node:http";
import { request } from "node:https";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { account, add, cat, getApiKey, send } from "../../../test/support/devnet-wire.ts";
import { type Devnet, type DevnetOptions, startDevnet } from "../src/index.ts";

async function withDevnet(options: DevnetOptions, use: (devnet: Devnet) => Promise<void>): Promise<void> {
  const devnet = await startDevnet(options);
  try {
    await use(devnet);
  } finally {
    await devnet.close();
  }
}

const listUrls = ({ endpoints, gateways, control = "" }: Devnet) => [
  ...Object.values(endpoints).flat(),
  ...gateways,
  control,
];

/** Whether something listens on the port of a URL, at another address. */
const isReachable = (url: string, host: string) =>
  fetch(`http://${host}:${new URL(url).port}/`).then(
    () => true,
    () => false,
  );

/** Addresses of this machine besides loopback, of IPv4. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ family, internal }) => family === "IPv4" && !internal)
  .map(({ address }) => address);

test("only this machine reaches a devnet, by default", async () => {
  await withDevnet({ port: await findPorts(10), control: true }, async (devnet) => {
    for (const url of listUrls(devnet)) {
      expect(new URL(url).hostname).toBe("127.0.0.1");
      for (const host of [...outside, "127.0.0.2", "[::1]"]) expect(await isReachable(url, host)).toBe(false);
    }
  });
});

test("all of its services bind to the option host", async () => {
  const port = await findPorts(10);
  await withDevnet({ port, host: "127.0.0.2", control: true, chain: true }, async (devnet) => {
    for (const url of [...listUrls(devnet), devnet.chain?.rpc ?? ""]) {
      expect(new URL(url).hostname).toBe("127.0.0.2");
      expect(await isReachable(url, "127.0.0.2")).toBe(true);
      expect(await isReachable(url, "127.0.0.1")).toBe(false);
    }
  });
});

test.each([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "localhost"],
  ["::1", "[::1]"],
  ["localhost", "localhost"],
])("an upload to a devnet on %s is read back at its URLs, which name %s", async (host, named) => {
  await withDevnet({ host, control: true }, async (devnet) => {
    expect(new Set(listUrls(devnet).map((url) => new URL(url).hostname))).toEqual(new Set([named]));
    const response = await add(devnet, await getApiKey(devnet, account(devnet, 0)), { a: "hello" });
    const { Hash } = (await response.json()) as { Hash: string };
    expect(Buffer.from(await cat(devnet, Hash)).toString()).toBe("hello");
    expect((await fetch(`${devnet.control}/health`)).status).toBe(200);
  });
});

test("the URLs name the public host, also those that responses have", async () => {
  await withDevnet({ publicHost: "Devnet.example", control: true, chain: true, unkind: true }, async (devnet) => {
    const { uploadNetwork, network, rpc } = devnet.chain ?? {};
    const urls = [...listUrls(devnet), uploadNetwork?.rpc ?? "", network?.rpc ?? "", rpc ?? ""];
    expect(new Set(urls.map((url) => new URL(url).hostname))).toEqual(new Set(["devnet.example"]));
    const control = `http://127.0.0.1:${new URL(devnet.control ?? "").port}`;
    expect((await send("GET", `${control}/`)).body).toMatchObject({ endpoints: devnet.endpoints, chain: { rpc } });
  });
});

test("the certificate is for the public host", async () => {
  await withDevnet({ tls: true, publicHost: "devnet.example" }, async ({ endpoints, certificate: ca }) => {
    const { port } = new URL(endpoints.api);
    for (const servername of ["devnet.example", "localhost"]) {
      const [response] = await once(
        request({ host: "127.0.0.1", port, servername, ca, agent: false }).end(),
        "response",
      );
      expect(response.statusCode).toBe(404);
      response.resume();
    }
    const other = request({ host: "127.0.0.1", port, servername: "other.example", ca, agent: false }).end();
    expect(await once(other, "response").catch(({ code }) => code)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  });
});

test("with a first port, the control service and the chain have theirs after all others", async () => {
  const first = await findPorts(10);
  await withDevnet({ port: first, gateways: 3, control: true, chain: true }, async (devnet) => {
    const { endpoints, control = "", chain } = devnet;
    const ports = [endpoints.x402, control, chain?.rpc ?? ""].map((url) => Number(new URL(url).port) - first);
    expect(ports).toEqual([7, 8, 9]);
    const refused = { code: "INVALID_OPTION", message: `Cannot listen on port ${first + 9} of 127.0.0.1` };
    await expect(startDevnet({ port: first + 2, chain: true })).rejects.toMatchObject(refused);
  });
});

test.each([
  { host: "" },
  { host: 5 },
  { host: "127.0.0.1:80" },
  { host: "http://localhost" },
  { host: "999.0.0.1" },
  { publicHost: "a b" },
  { publicHost: "user@host" },
  { publicHost: "host/path" },
  { accounts: "" },
  { accounts: ["fixed"] },
  { accounts: "Fixed" },
  { control: 1 },
])("%j is refused", async (options) => {
  await expect(startDevnet(options as DevnetOptions)).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

/** Returns the first of `count` consecutive free ports, below those that systems assign: to servers of other tests, at other addresses. */
async function findPorts(count: number): Promise<number> {
  const first = 10_000 + Math.floor(Math.random() * 20_000);
  const servers = Array.from({ length: count }, () => createServer());
  try {
    for (const [index, server] of servers.entries()) {
      await once(server.listen(first + index, "127.0.0.1"), "listening");
    }
    return first;
  } catch {
    return await findPorts(count);
  } finally {
    for (const server of servers) server.close();
  }
}
