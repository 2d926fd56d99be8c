import { createKit } from "keeplight";
import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { createMessage } from "../src/inbox/message.ts";
import { openLink } from "../src/index.ts";
import { bytes, drivesForTests } from "./drive-for-tests.ts";

const { createAccount, devnet } = drivesForTests();

const page = "https://app.example/open";
const refused = { code: "NODE_REFUSED" };

/** Opens a file as somebody who has nothing but a link to it, and does not care for when that ends. */
function openAs({ cid, signer, commitment }: Awaited<ReturnType<typeof openLink>>) {
  const kit = createKit({ signer, endpoints: devnet().endpoints, pauseMs: 0, retryMs: 0 });
  return kit.decrypt(cid, { commitment });
}

test("a message that is signed by the account of a link takes its place in no list, on any device", async () => {
  const alice = await createAccount();
  const { drive } = await alice.open();
  const [file] = await drive.add(bytes("sun"), { name: "summer.jpg" });
  if (!file) throw new Error("Nothing was added");
  const link = await drive.createLink(file, { page, endsAfterMs: 3_600_000 });
  await drive.sync();
  const opened = await openLink(link.url);
  // Whoever has a link has its account, too.
  const from = (await opened.signer.getAddress()).toLowerCase();
  const to = alice.own.signer.address.toLowerCase();
  const files = [{ cid: file.cid, name: "for you.jpg" }];
  const message = await createMessage({ from, to, at: Date.now(), files }, async (text) =>
    opened.signer.signMessage(text),
  );
  const { drive: phone } = await alice.open();
  await phone.receive(message);
  await phone.sync();
  await drive.sync();
  for (const each of [drive, phone]) {
    expect(each.listLinks()).toEqual([link]);
    expect(each.listReceived()).toMatchObject([{ name: "for you.jpg", from }]);
  }
  await drive.endLink(link);
  await expect(openAs(opened)).rejects.toMatchObject(refused);
  await drive.receive(message);
  expect(drive.listLinks()).toEqual([]);
});

test("a link that its maker cannot end any more keeps no other one from ending by itself", async () => {
  const [alice, bob] = [await createAccount(), await createAccount()];
  const { drive } = await alice.open();
  const links = [];
  for (const name of ["given.jpg", "kept.jpg"]) {
    await drive.add(bytes(name), { name });
    links.push(await drive.createLink(name, { page, endsAfterMs: 3_600_000 }));
  }
  const [given, kept] = links;
  const opened = await openLink(kept?.url ?? "");
  // Its new owner goes on to share it.
  const newOwner = bob.own.signer.address;
  await alice.kit.kavachTransferOwnership(given?.cid ?? "", { newOwner, resetSharedTo: false });
  await drive.sync();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await drive.sync();
  await eventually(() => expect(drive.listLinks()).toEqual([given]));
  await expect(openAs(opened)).rejects.toMatchObject(refused);
});
