import { createKit, type Signer, uploadEncrypted } from "../../../src/index.ts";
import { makeRecoveryKit, openRecoveryKit } from "../src/index.ts";

// Compiled by `npm run typecheck`, never run.

declare const signer: Signer;
const bytes = new Uint8Array(1);
const upload = { apiKey: "key", signer } as const;

export async function addsToAKitWithBothOptions(recipients: string[]): Promise<void> {
  await uploadEncrypted(bytes, { ...upload, recovery: "age1", recoveryTo: "./kits" });
  await uploadEncrypted(bytes, { ...upload, recovery: recipients, recoveryTo: async () => undefined });
  // @ts-expect-error: nobody can open the kit
  await uploadEncrypted(bytes, { ...upload, recoveryTo: "./kits" });
  // @ts-expect-error: the kit is nowhere
  await uploadEncrypted(bytes, { ...upload, recovery: "age1" });
}

export async function bindsEitherOption(): Promise<void> {
  const whole = createKit({ ...upload, recovery: "age1", recoveryTo: "./kits" });
  await whole.uploadEncrypted(bytes);
  await whole.uploadEncrypted(bytes, { recoveryTo: "./others" });
  const half = createKit({ ...upload, recovery: "age1" });
  await half.uploadEncrypted(bytes, { recoveryTo: "./kits" });
}

export async function opensAKitOneWay(cids: string[], recipients: string[]): Promise<void> {
  await makeRecoveryKit(cids, { signer, recipients });
  await makeRecoveryKit(cids, { signer, passphrase: "several random words" });
  // @ts-expect-error: two ways to open it
  await makeRecoveryKit(cids, { signer, recipients, passphrase: "several random words" });
  // @ts-expect-error: no way
  await makeRecoveryKit(cids, { signer });
  await openRecoveryKit("./kit.age", { identity: "AGE-SECRET-KEY-1" });
  // @ts-expect-error: two secrets
  await openRecoveryKit("./kit.age", { identity: "AGE-SECRET-KEY-1", passphrase: "several random words" });
}
