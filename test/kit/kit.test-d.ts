import {
  createKit,
  type Kit,
  type KitDefaults,
  type KitOptions,
  type Signer,
  type UploadOptions,
} from "../../src/index.ts";
import { cid } from "../support/fixtures.ts";

// Compiled by `npm run typecheck`, never run.

declare const signer: Signer;
const bytes = new Uint8Array(1);
const owner = { address: "0x00000000000000000000000000000000000000aa", authToken: "jwt:token" };
const friend = { shareTo: "0x00000000000000000000000000000000000000bb" } as const;

export async function requiresEverythingByDefault(): Promise<void> {
  const kit = createKit();
  // @ts-expect-error: the API key is missing
  await kit.upload(bytes);
  // @ts-expect-error: so it is here
  await kit.getBalance();
  // @ts-expect-error: the owner is missing
  await kit.uploadEncrypted(bytes, { apiKey: "key" });
  await kit.uploadEncrypted(bytes, { apiKey: "key", signer });
  await kit.download(cid);
  (await kit.kavachGenerate()).masterKey satisfies string;
}

export async function makesABoundKeyOptional(): Promise<void> {
  const kit = createKit({ apiKey: "key" });
  const [file] = await kit.upload(bytes);
  file.Hash satisfies string;
  await kit.upload(bytes, { apiKey: "other", cidVersion: 0 });
  await kit.upload(bytes, { apiKey: undefined });
  for await (const { id } of kit.iterateFiles()) id satisfies string;
  await kit.ipnsPublishRecord({ cid, keyName: "name" });
  // @ts-expect-error: other options are still required
  await kit.ipnsPublishRecord();
  // @ts-expect-error: and so is the owner
  await kit.uploadEncrypted(bytes);
  // @ts-expect-error: and so it is here
  await kit.kavachShare(cid, friend);
  await kit.kavachShare(cid, { ...friend, signer });
  await kit.uploadEncrypted(bytes, owner);
}

export async function requiresAKeyOrAnEndpoint(): Promise<void> {
  const via = "https://app.example/api/upload";
  const kit = createKit({ via });
  await kit.upload(bytes);
  await kit.upload(bytes, { apiKey: "key" });
  await kit.uploadEncrypted(bytes, { signer, via: { url: via, token: "session" } });
  // @ts-expect-error: only uploads pass through an endpoint
  await kit.getBalance();
  await createKit({ apiKey: "key" }).upload(bytes, { via: new URL(via) });
  // @ts-expect-error: either one or the other
  await createKit().upload(bytes, { apiKey: "key", via });
  // @ts-expect-error: an archive requires a key
  await createKit().uploadCar(bytes, { via });
}

export async function makesABoundOwnerOptional(): Promise<void> {
  const kit = createKit({ apiKey: "key", signer });
  await kit.uploadEncrypted(bytes);
  await kit.uploadEncrypted(bytes, { ...friend, saveOn: "enough" });
  await kit.kavachShare(cid, friend);
  await kit.createApiKey();
  // @ts-expect-error: nobody to share to
  await kit.kavachShare(cid);
}

export async function replacesABoundOwnerAsAWhole(): Promise<void> {
  const bySigner = createKit({ signer });
  await bySigner.kavachRepair(cid, owner);
  // @ts-expect-error: a token is of an address
  await bySigner.kavachRepair(cid, { authToken: owner.authToken });
  // @ts-expect-error: an address requires its token
  await bySigner.kavachRepair(cid, { address: owner.address });
  // @ts-expect-error: either one or the other
  await bySigner.kavachRepair(cid, { signer, ...owner });

  const byToken = createKit(owner);
  await byToken.kavachRepair(cid);
  await byToken.kavachRepair(cid, { signer });
  await byToken.kavachRepair(cid, { authToken: "jwt:fresh" });
  await byToken.kavachRepair(cid, owner);
  // @ts-expect-error: an address requires its token
  await byToken.kavachRepair(cid, { address: owner.address });
  await byToken.createApiKey({ signedMessage: "0x5e" });
}

export async function keepsTheFormsOfAFile(): Promise<void> {
  const kit = createKit({ signer });
  (await kit.decrypt(cid)) satisfies Uint8Array;
  (await kit.decrypt(cid, { as: "blob" })) satisfies Blob;
  (await kit.decrypt(cid, { as: "stream" })) satisfies ReadableStream;
  (await kit.decrypt(cid, { to: "./file" })).path satisfies string;
  (await kit.download(cid, { as: "blob" })) satisfies Blob;
  // @ts-expect-error: no such form
  await kit.decrypt(cid, { as: "text" });
  // @ts-expect-error: the owner is missing
  await createKit().decrypt(cid);
  // @ts-expect-error: so it is here
  await createKit().decrypt(cid, { as: "blob" });
  await createKit().decrypt(cid, { as: "blob", key: "0b".repeat(32) });
}

export async function requiresWhatMayBeUndefined(signedIn: boolean): Promise<void> {
  const byVariable = createKit({ apiKey: process.env["KEY"] });
  // @ts-expect-error: the variable may not be set
  await byVariable.upload(bytes);
  await byVariable.upload(bytes, { apiKey: "key" });

  const bySignIn = createKit(signedIn ? { apiKey: "key", signer } : {});
  // @ts-expect-error: nobody may be signed in
  await bySignIn.upload(bytes);
  const byEither = createKit(signedIn ? { signer } : owner);
  await byEither.kavachRepair(cid, owner);
}

export function refusesOtherDefaults(settings: KitDefaults): Kit<KitDefaults> {
  // @ts-expect-error: no such option
  createKit({ apiKey: "key", pausMs: 0 });
  // @ts-expect-error: an option of some calls, but none to bind
  createKit({ cidVersion: 0 });
  // @ts-expect-error: an address requires its token
  createKit({ address: owner.address });
  // @ts-expect-error: either one or the other
  createKit({ signer, ...owner });
  // @ts-expect-error: not a string
  createKit({ apiKey: 5 });
  createKit({ endpoints: { api: "http://127.0.0.1" }, pauseMs: 0, acceptMessage: (message) => message !== "" });
  return createKit(settings);
}

/** A kit with more bound serves where one with less is expected, and not the other way round. */
export function takesAKit(ofAccount: Kit, withKey: Kit<{ apiKey: string }>): void {
  createKit({ apiKey: "key", signer }) satisfies Kit;
  ofAccount satisfies Kit<{ apiKey: string }>;
  withKey satisfies Kit<KitDefaults>;
  // @ts-expect-error: no owner is bound
  withKey satisfies Kit;
  // @ts-expect-error: nothing is bound
  createKit() satisfies Kit<{ apiKey: string }>;
}

/** Wrappers of a kit's calls name their options by {@link KitOptions}. */
export function wrapsAKit(kit: Kit<{ apiKey: string }>, options?: KitOptions<UploadOptions, { apiKey: string }>) {
  return kit.upload(bytes, options);
}
