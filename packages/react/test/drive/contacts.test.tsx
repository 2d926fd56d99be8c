import { afterEach, expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { useContacts, useDrive } from "../../src/drive/index.ts";
import { watchConsole } from "../rig.tsx";
import { cleanUp, newOwner, renderInDrive } from "./rig.tsx";

afterEach(cleanUp);

test("addresses are named and listed, and render only if their list has changed", async () => {
  const complaints = watchConsole();
  const address = `0x${"b".repeat(40)}`;
  const drives: ReturnType<typeof useDrive>[] = [];
  function Drive() {
    drives.push(useDrive());
    return null;
  }
  const hook = await renderInDrive(useContacts, await newOwner(), <Drive />);
  await expect(hook.all[0]?.set(address, { name: "Bob" })).rejects.toMatchObject({ code: "UNSUPPORTED" });
  await eventually(() => expect(hook.now.state).toEqual({ status: "ready", value: [] }));
  const contact = await hook.now.set(address, { name: "Bob", note: "met in Bonn" });
  expect(contact).toEqual({ address, name: "Bob", note: "met in Bonn" });
  await eventually(() => expect(hook.now.state).toEqual({ status: "ready", value: [contact] }));

  const [rendered, { state, set, remove }] = [hook.all.length, hook.now];
  const drive = drives.at(-1)?.state.value;
  await drive?.createFolder("Photos");
  await drive?.sync();
  expect([hook.all.length, hook.now.state]).toEqual([rendered, state]);

  await remove(contact);
  await eventually(() => expect(hook.now.state).toEqual({ status: "ready", value: [] }));
  await expect(remove(contact)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect([hook.now.set, hook.now.remove]).toEqual([set, remove]);
  expect(complaints).toEqual([]);
});
