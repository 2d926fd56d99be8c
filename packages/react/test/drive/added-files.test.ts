import type { AddedFile } from "@keeplight/drive";
import { expect, test } from "vitest";
import { toUploadedFiles } from "../../src/drive/drive-manager.ts";

test("what was added has the nodes that miss its key, and the receipt of what was paid for it", () => {
  const receipt = { amount: "5", token: "usdc" };
  const added = [
    { path: "Photos/a.jpg", cid: "bafkqaaa", size: 9, nodesMissing: [3], receipt },
    { path: "b.jpg", cid: "bafkqaab", size: 7 },
  ] as unknown as AddedFile[];
  expect(toUploadedFiles(added)).toEqual([
    { Name: "Photos/a.jpg", Hash: "bafkqaaa", Size: "9", nodesMissing: [3], receipt },
    { Name: "b.jpg", Hash: "bafkqaab", Size: "7" },
  ]);
});
