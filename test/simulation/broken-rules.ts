import { createHash } from "node:crypto";
import { vi } from "vitest";
import type * as encrypt from "../../src/formats/crypto/encrypt.ts";
import type * as callEntry from "../../src/keys/nodes/call-entry.ts";
import type * as callNodesModule from "../../src/keys/nodes/call-nodes.ts";
import type * as encryptedCids from "../../src/storage/upload/encrypted-cids.ts";

/** A rule without which the kit would lose keys, or report what is not so; and how to import a kit that breaks it. */
export interface BrokenRule {
  rule: string;
  /** What the simulation is to find. */
  finds: RegExp;
  /** The module that keeps the rule. */
  path: string;
  /** Makes `path` break it. */
  mock(): void;
}

/** Replaces some exports of a module, when it is imported again. */
function replaceIn<Module extends object>(path: string, replace: (actual: Module) => Partial<Module>) {
  const mock = () =>
    vi.doMock(path, async (importOriginal) => {
      const actual = await importOriginal<Module>();
      return { ...actual, ...replace(actual) };
    });
  return { path, mock };
}

const CALL_NODES = "../../src/keys/nodes/call-nodes.ts";

export const brokenRules: readonly BrokenRule[] = [
  {
    rule: "a file that is sent again has another salt and iv",
    finds: /two transfers have salt and iv/,
    ...replaceIn<typeof encrypt>("../../src/formats/crypto/encrypt.ts", ({ prepareEncryption }) => ({
      prepareEncryption(masterKey) {
        const bytes = createHash("sha256").update(masterKey).digest();
        return prepareEncryption(masterKey, { salt: bytes.subarray(0, 16), iv: bytes.subarray(16, 28) });
      },
    })),
  },
  {
    rule: "the keys of an upload are kept if its response is lost",
    finds: /its owner cannot open it/,
    ...replaceIn<{ mayBeStored: unknown }>("../../src/storage/upload/send-encrypted.ts", () => ({
      mayBeStored: () => false,
    })),
  },
  {
    rule: "the content ids are kept before the last byte is sent",
    finds: /its owner cannot open it/,
    ...replaceIn<typeof encryptedCids>("../../src/storage/upload/encrypted-cids.ts", ({ createHashedUpload }) => ({
      createHashedUpload: (files, version, onHashed) =>
        createHashedUpload(files, version, async (expected) => void onHashed(expected)),
    })),
  },
  {
    rule: "the nodes after one that fails are called as well",
    finds: /does not name nodes/,
    ...replaceIn<typeof callNodesModule>(CALL_NODES, ({ callNodes }) => ({
      callNodes: (nodes, auth, numbers, requestFor, options) =>
        callNodes(nodes, auth, numbers, requestFor, { ...options, afterFailure: "stop" }),
    })),
  },
  {
    rule: "a node whose response is lost does not count as done",
    finds: /succeeded, but not on|as done|is (in|out), and/,
    ...replaceIn<typeof callNodesModule>(CALL_NODES, ({ callNodes }) => ({
      async callNodes(...all) {
        const calls = await callNodes(...all);
        const isLost = ({ error }: callNodesModule.FailedNode) => error.code === "TIMEOUT";
        const lost = calls.failed.filter(isLost).map(({ node }) => node);
        return { ...calls, done: [...calls.done, ...lost], failed: calls.failed.filter((one) => !isLost(one)) };
      },
    })),
  },
  {
    rule: "an unfinished call stays open in the journal",
    finds: /is not in the journal/,
    ...replaceIn<typeof callEntry>("../../src/keys/nodes/call-entry.ts", ({ openCallEntry }) => ({
      async openCallEntry(...all) {
        const entry = await openCallEntry(...all);
        return entry && Object.create(entry, { release: { value: entry.complete } });
      },
    })),
  },
];
