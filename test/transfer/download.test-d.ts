import { createKit, type DecryptOptions, decrypt, download, type OutputOptions, type Signer } from "../../src/index.ts";
import { cid } from "../support/fixtures.ts";

// Compiled by `npm run typecheck`, never run.

declare const signer: Signer;
const to = "./file";

export async function returnsTheFormThatTheOptionsName(): Promise<void> {
  (await download(cid)) satisfies Uint8Array;
  (await download(cid, { to })).path satisfies string;
  (await download(cid, { as: "blob" })) satisfies Blob;
  (await decrypt(cid, { signer })) satisfies Uint8Array;
  (await decrypt(cid, { signer, as: "stream" })) satisfies ReadableStream;
  // @ts-expect-error: a saved file is not returned as well
  await download(cid, { to, as: "blob" });
  // @ts-expect-error: no such form
  await decrypt(cid, { signer, as: "text" });
  // @ts-expect-error: the owner is missing
  await decrypt(cid, { to });
  // @ts-expect-error: no such option
  await decrypt(cid, { signer, pausMs: 0 });
}

export async function savesAFileIfThereIsAPath(
  settings: { to?: string },
  other: { to: URL | undefined },
): Promise<void> {
  const kit = createKit({ signer });
  const files = [
    await decrypt(cid, { signer, ...settings }),
    await decrypt(cid, { signer, ...other }),
    await download(cid, settings),
    await download(cid, other),
    await kit.decrypt(cid, settings),
    await kit.decrypt(cid, { ...other, pauseMs: 0 }),
    await kit.download(cid, settings),
  ];
  for (const file of files) if ("path" in file) file.path satisfies string;
  // @ts-expect-error: it may have been saved
  files satisfies Uint8Array[];
  // @ts-expect-error: either one or the other
  await kit.decrypt(cid, { ...settings, as: "blob" });
}

export async function opensByAKeyOrAnOwner(): Promise<void> {
  await decrypt(cid, { key: "0b".repeat(32) });
  await decrypt(cid, { key: ["0b".repeat(32)], signer });
  // @ts-expect-error: there may be no key
  await decrypt(cid, { key: process.env["KEY"] });
}

declare const options: DecryptOptions & OutputOptions;
// @ts-expect-error: which form it is in is unknown
export const bytes: Promise<Uint8Array> = decrypt(cid, options);
