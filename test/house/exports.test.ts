import { expect, test } from "vitest";
import * as index from "../../src/index.ts";

test("the package exports exactly these names", () => {
  expect(Object.keys(index).sort()).toMatchInlineSnapshot(`
    [
      "KeeplightError",
      "UnfinishedError",
      "createApiKey",
      "createKit",
      "decrypt",
      "decryptBytes",
      "defaultEndpoints",
      "download",
      "encryptBytes",
      "getAuthMessage",
      "isKeeplightError",
      "kavachGenerate",
      "kavachGetAuthMessage",
      "kavachGetJwt",
      "kavachRecoverKey",
      "kavachRecoverShards",
      "kavachRefreshJwt",
      "kavachRevoke",
      "kavachSaveShards",
      "kavachShardKey",
      "kavachShare",
      "upload",
      "uploadBuffer",
      "uploadEncrypted",
      "uploadText",
      "uploadTextEncrypted",
    ]
  `);
});
