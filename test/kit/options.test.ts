import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createApiKey,
  defaultEndpoints,
  download,
  getAuthMessage,
  getBalance,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachShare,
  upload,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, opaqueCid as cid, hostMessage, nodeMessage } from "../support/fixtures.ts";
import { createServer, sendJson } from "../support/http-server.ts";
import { incomplete } from "../support/incomplete.ts";

test("the public network is the default", () => {
  expect(defaultEndpoints).toEqual({
    api: "https://api.lighthouse.storage",
    upload: "https://upload.lighthouse.storage",
    walrusUpload: "https://upload-walrus.lighthouse.storage",
    x402: "https://x402-walrus.lighthouse.storage",
    gateway: "https://gateway.lighthouse.storage",
    walrusGateway: "https://gateway-walrus.lighthouse.storage",
    keyNodes: "https://encryption.lighthouse.storage",
  });
});

test("without endpoints each call uses its service of the public network", async () => {
  const requested: string[] = [];
  const responses: Record<string, unknown> = {
    "/api/auth/get_auth_message": hostMessage,
    "/api/v0/add": { Name: "a", Hash: cid },
  };
  const server = setupServer(
    http.all("*", ({ request }) => {
      const { origin, pathname } = new URL(request.url);
      requested.push(`${request.method} ${origin}${pathname}`);
      return HttpResponse.json(
        pathname.startsWith("/api/message/") ? [{ message: nodeMessage }] : (responses[pathname] ?? 0),
      );
    }),
  );
  server.listen({ onUnhandledRequest: "error" });
  onTestFinished(() => server.close());
  await getAuthMessage(address);
  await upload(new Uint8Array(1), { apiKey: "key" });
  await download(cid, { verifyCid: false });
  await kavachGetAuthMessage(address);
  expect(requested).toEqual([
    "GET https://api.lighthouse.storage/api/auth/get_auth_message",
    "POST https://upload.lighthouse.storage/api/v0/add",
    `POST https://gateway.lighthouse.storage/api/v0/cat/${cid}`,
    `GET https://encryption.lighthouse.storage/api/message/${address}`,
  ]);
});

describe("endpoints", () => {
  test("of a class instance or a prototype are used, not the public network's", async () => {
    const { url, requests } = await createServer((_, response) => sendJson(response, hostMessage));
    class Settings {
      get api() {
        return url;
      }
    }
    for (const endpoints of [new Settings(), Object.create({ api: url })]) await getAuthMessage(address, { endpoints });
    expect(requests).toHaveLength(2);
    expect(await failure(getAuthMessage(address, { endpoints: Object.create({ api: "elsewhere" }) }))).toMatchObject({
      code: "INVALID_OPTION",
    });
  });

  test("may have a path and slashes after it", async () => {
    const server = await createServer((_, response) => sendJson(response, hostMessage));
    await getAuthMessage(address, { endpoints: { api: `${server.url}/v2//` } });
    expect(server.requests[0]?.path).toBe("/v2/api/auth/get_auth_message");
  });

  test("with credentials do not replace the bearer", async () => {
    const server = await createServer((_, response) => sendJson(response, { dataLimit: 1, dataUsed: 0 }));
    const api = server.url.replace("//", "//user:password@");
    await getBalance({ apiKey: "key", endpoints: { api } });
    expect(server.requests[0]?.headers.authorization).toBe("Bearer key");
  });

  test.each(["", "example.com", "ftp://example.com", "//example.com", "http://", "http://example.com/?a=b", 5, {}])(
    "%j is none",
    async (bad) => {
      const error = await failure(getAuthMessage(address, { endpoints: { api: bad as string } }));
      expect(error).toMatchObject({
        code: "INVALID_OPTION",
        message: "Invalid option endpoints.api: expected an http or https URL without query and fragment",
        details: { option: "endpoints.api" },
      });
    },
  );
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "8000", null])(
  "%j is no time limit",
  async (timeoutMs) => {
    const options = { timeoutMs: timeoutMs as number };
    const calls = [
      getAuthMessage(address, options),
      upload(new Uint8Array(1), { apiKey: "k", ...options }),
      download(cid, { ...options, verifyCid: false }),
    ];
    for (const error of await Promise.all(calls.map(failure))) {
      expect(error.message).toBe("Invalid option timeoutMs: expected a whole number from 1 on");
    }
  },
);

describe("bearers", () => {
  test.each([undefined, ""])("%j is reported as missing", async (apiKey) => {
    const error = await failure(upload(new Uint8Array(1), incomplete({ apiKey })));
    expect(error).toMatchObject({
      code: "MISSING_API_KEY",
      message: "No API key: pass { apiKey }, or bind one with createKit({ apiKey })",
    });
  });

  test.each(["two words", "line\nbreak", "ümlaut", " ", "tab\t", 5, null])(
    "%j is refused, as it is invalid in a header",
    async (token) => {
      const bad = token as string;
      const expected = "expected a string of visible ASCII characters without spaces";
      const calls: [string, Promise<unknown>][] = [
        ["apiKey", upload(new Uint8Array(1), { apiKey: bad })],
        ["authToken", kavachShare(cid, { address, authToken: bad, shareTo: address })],
        ["signature", kavachGetJwt(address, { signature: bad })],
        ["signedMessage", createApiKey({ address, signedMessage: bad })],
      ];
      const errors = await Promise.all(calls.map(([, call]) => failure(call)));
      expect(errors.map(({ message }) => message)).toEqual(
        calls.map(([option]) => `Invalid option ${option}: ${expected}`),
      );
    },
  );
});
