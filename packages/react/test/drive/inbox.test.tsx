import { afterEach, expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { openDrive } from "../../../drive/src/index.ts";
import { useDrive, useInbox } from "../../src/drive/index.ts";
import { watchConsole } from "../rig.tsx";
import { cleanUp, newOwner, renderInDrive } from "./rig.tsx";

afterEach(cleanUp);

test("an inbox lists what was received, and renders only if that has changed", async () => {
  const complaints = watchConsole();
  const [alice, bob] = [await newOwner(), await newOwner()];
  const theirs = await openDrive(alice);
  await theirs.add(new File(["sun"], "summer.jpg"));
  const to = await bob.signer.getAddress();
  const message = await theirs.createMessage("summer.jpg", { to });
  const { url } = await theirs.createLink("summer.jpg", { page: "https://app.example/" });
  await theirs.close();

  const drives: ReturnType<typeof useDrive>[] = [];
  function Drive() {
    drives.push(useDrive());
    return null;
  }
  const hook = await renderInDrive(useInbox, bob, <Drive />);
  expect(hook.all[0]?.state).toEqual({ status: "loading" });
  await expect(hook.all[0]?.receive(message)).rejects.toMatchObject({ code: "UNSUPPORTED" });
  await eventually(() => expect(hook.now.state).toEqual({ status: "ready", value: [] }));
  await hook.now.receive(message);
  await eventually(() => expect(hook.now.state).toMatchObject({ value: [{ name: "summer.jpg", size: 3 }] }));
  await hook.now.receive(url);
  await eventually(() => expect(hook.now.state).toMatchObject({ value: [{}, {}] }));

  const { state, receive, remove } = hook.now;
  const rendered = hook.all.length;
  const drive = drives.at(-1)?.state.value;
  await drive?.createFolder("Photos");
  await drive?.sync();
  expect(hook.all.length).toBe(rendered);
  expect(hook.now.state).toBe(state);

  const [file] = state.status === "ready" ? state.value : [];
  await remove(file ?? "");
  await eventually(() => expect(hook.now.state).toMatchObject({ value: [{}] }));
  expect(hook.now).toMatchObject({ receive, remove });
  await expect(receive("hello")).rejects.toMatchObject({ code: "INVALID_LINK" });
  expect(complaints).toEqual([]);
});
