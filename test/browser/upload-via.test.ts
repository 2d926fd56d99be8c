import { Wallet } from "ethers";
import { expect, inject, test } from "vitest";
import { createKit } from "../../src/index.ts";
import { failure } from "../support/failure.ts";

const { endpoints } = inject("devnet");
const via = { url: inject("uploads"), token: "page" };
const signer = Wallet.createRandom();
const kit = createKit({ via, endpoints, signer, pauseMs: 0 });
const MIB = 1024 * 1024;
const file = (mib: number, name = "a.bin") => new File([new Uint8Array(mib * MIB).fill(mib)], name);

test("a page uploads through an endpoint, and sees how far it is", async () => {
  const fractions: number[] = [];
  const [stored] = await kit.upload(file(9), {
    onProgress: ({ fraction = 0 }) => fractions.push(fraction),
    verifyCid: true,
  });
  expect(stored.Name).toBe("a.bin");
  expect(fractions.length).toBeGreaterThan(1);
  expect(fractions.at(-1)).toBe(1);
});

test("a page encrypts what it uploads through an endpoint, and saves the keys itself", async () => {
  const [secret] = await kit.uploadEncrypted(new File(["secret"], "secret.txt"));
  expect(new TextDecoder().decode(await kit.decrypt(secret.Hash))).toBe("secret");
});

test("a page gets the error of an endpoint that refuses an upload before it is sent", async () => {
  const large = await failure(kit.upload(file(150)));
  expect(large).toMatchObject({ code: "FILE_TOO_LARGE", details: { limit: 20 * MIB } });
  const counted = await failure(kit.upload(file(21)));
  expect(counted.code).toBe("FILE_TOO_LARGE");
  const many = await failure(kit.upload(["1", "2", "3", "4"].map((name) => new File([name], name))));
  expect(many).toMatchObject({ code: "UPLOAD_REFUSED", details: { reason: "count", limit: 3 } });
  const stranger = await failure(kit.upload(file(1), { via: via.url }));
  expect(stranger).toMatchObject({ code: "UPLOAD_REFUSED", details: { reason: "access" } });
});

test("an abort in a page ends its upload through an endpoint", async () => {
  const abort = new AbortController();
  const error = await failure(kit.upload(file(15), { signal: abort.signal, onProgress: () => abort.abort() }));
  expect(error.code).toBe("ABORTED");
});
