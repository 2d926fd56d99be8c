import { afterEach, expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { openLink } from "../../../drive/src/index.ts";
import { useDrive, useLinks } from "../../src/drive/index.ts";
import { watchConsole } from "../rig.tsx";
import { cleanUp, newOwner, renderInDrive } from "./rig.tsx";

afterEach(cleanUp);

test("links are created, listed and ended, and render only if their list has changed", async () => {
  const complaints = watchConsole();
  const page = "https://app.example/";
  const drives: ReturnType<typeof useDrive>[] = [];
  function Drive() {
    drives.push(useDrive());
    return null;
  }
  const hook = await renderInDrive(useLinks, await newOwner(), <Drive />);
  await expect(hook.all[0]?.create("letter.txt", { page })).rejects.toMatchObject({ code: "UNSUPPORTED" });
  await eventually(() => expect(hook.now.state).toEqual({ status: "ready", value: [] }));
  const drive = drives.at(-1)?.state.value;
  await drive?.add(new File(["letter"], "letter.txt"));

  const link = await hook.now.create("letter.txt", { page });
  await eventually(() => expect(hook.now.state).toMatchObject({ value: [{ id: link.id, name: "letter.txt" }] }));
  expect(await openLink(link.url)).toMatchObject({ cid: link.cid, name: "letter.txt" });
  const [rendered, { state, create, end }] = [hook.all.length, hook.now];
  await drive?.createFolder("Photos");
  await drive?.sync();
  expect([hook.all.length, hook.now.state]).toEqual([rendered, state]);

  await end(link);
  await eventually(() => expect(hook.now.state).toEqual({ status: "ready", value: [] }));
  await expect(end(link)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect([hook.now.create, hook.now.end]).toEqual([create, end]);
  expect(complaints).toEqual([]);
});
