import { type Meta, Uppy } from "@uppy/core";
import { expect, test } from "vitest";
import { KeeplightUploader, type KeeplightUploaderBody } from "../src/index.ts";
import { CHUNK, control, digest, makeFile, newPerson, randomBytes, SIZE, watchUploads, watchUppy } from "./rig.ts";

test("a file is encrypted in the page, sent in chunks, stored once, and its key is on the five key nodes", async () => {
  const person = await newPerson();
  const bytes = randomBytes(SIZE);
  const file = makeFile("résumé €.txt", bytes);
  const listUploads = await watchUploads();
  const uppy = person.openUppy();
  const watched = watchUppy(uppy);
  const result = await watched.upload([file]);
  expect(watched.errors).toEqual([]);
  const [stored] = result?.successful ?? [];
  const { cid, ...body } = stored?.response?.body ?? { cid: "" };
  expect(body).toEqual({ name: file.name, size: SIZE });
  expect(await person.read(cid)).toBe(await digest(bytes));
  expect(await control("listStored", file.name)).toEqual([cid]);
  expect(await control("countShards", cid)).toBe(5);

  const sent = (await listUploads("PATCH")).map(({ bytes: count }) => count);
  expect(sent).toEqual([...Array(7).fill(CHUNK), 44]);
  expect(stored?.uploadURL).toMatch(/\/api\/uploads\/[0-9a-f]{32}$/);
  expect(watched.progress).toEqual(watched.progress.toSorted((one, other) => one - other));
  expect(watched.progress.at(-1)).toBe(SIZE + 44);
  expect(stored?.progress).toMatchObject({ uploadComplete: true, percentage: 100 });
});

test("the plugin is used as any of Uppy's, and known by its name", async () => {
  const { journal, signer } = await newPerson();
  const uppy = new Uppy<Meta, KeeplightUploaderBody>();
  uppy.use(KeeplightUploader, { endpoint: "/api/uploads", journal, signer });
  const plugin = uppy.getPlugin("KeeplightUploader");
  expect(plugin).toBeInstanceOf(KeeplightUploader);
  expect(plugin?.type).toBe("uploader");
  expect(uppy.getState().capabilities.resumableUploads).toBe(true);
  if (plugin) uppy.removePlugin(plugin);
  expect(uppy.getState().capabilities.resumableUploads).toBe(false);
  uppy.use(KeeplightUploader, {
    id: "plain",
    endpoint: new URL("https://host.example/uploads/"),
    journal,
    encrypt: false,
  });
  expect(uppy.getPlugin("plain")).toBeInstanceOf(KeeplightUploader);
  // @ts-expect-error whose keys are they?
  uppy.use(KeeplightUploader, { id: "nobody", endpoint: "/api/uploads", journal });
});
