import { expect, test } from "vitest";
import { type Import, readSources, type SourceFile } from "./sources.ts";

const leaves = ["config", "errors", "input"];
const core = [...leaves, "options", "platform", "crypto", "http"];
const features = ["storage", "kavach", "account", "ipns", "payment", "proof"];

/** For each room of src (a folder, or a file directly in it): the other rooms it may import. */
const mayImport: Record<string, string[]> = {
  errors: [],
  config: ["errors"],
  input: ["cid", "config", "errors"],
  options: leaves,
  crypto: ["platform", ...leaves],
  platform: ["crypto", "config", "errors"],
  http: ["platform", "options", ...leaves],
  cid: ["platform", "config", "errors"],
  kavach: core,
  storage: [...core, "cid", "kavach", "payment"],
  account: core,
  ipns: core,
  payment: core,
  proof: [...core, "cid"],
  kit: [...core, ...features],
  index: [...core, ...features, "kit"],
  devnet: ["config", "errors"],
  react: ["index"],
  cli: ["index", "devnet"],
};

const sources = readSources();

const roomOf = (path: string): string => path.split("/")[0]?.replace(/\.tsx?$/, "") ?? path;

/** The room an import leads to: `#platform` counts as a room, packages do not. */
function targetRoom({ target, specifier }: Import): string | undefined {
  if (target !== undefined) return roomOf(target);
  return specifier.startsWith("#") ? roomOf(specifier.slice(1)) : undefined;
}

/** `file -> specifier` for each import that `isWrong`. */
function wrongImports(isWrong: (from: SourceFile, imported: Import) => boolean): string[] {
  return sources.flatMap((from) =>
    from.imports
      .filter((imported) => isWrong(from, imported))
      .map((imported) => `${from.path} -> ${imported.specifier}`),
  );
}

test("every room of src has a row in the table of arrows", () => {
  const rooms = new Set(sources.map(({ path }) => roomOf(path)));
  expect([...rooms].filter((room) => !mayImport[room])).toEqual([]);
  expect(rooms.size).toBeGreaterThan(0);
});

test("rooms import only the rooms below them", () => {
  const wrong = wrongImports((from, imported) => {
    const room = roomOf(from.path);
    const target = targetRoom(imported);
    return target !== undefined && target !== room && !mayImport[room]?.includes(target);
  });
  expect(wrong).toEqual([]);
});

test("the code of one runtime is reached through #platform only", () => {
  const runtime = /^platform\/(node|browser)\//;
  const wrong = wrongImports(({ path }, { target }) => {
    const to = runtime.exec(target ?? "")?.[1];
    return to !== undefined && runtime.exec(path)?.[1] !== to;
  });
  expect(wrong).toEqual([]);
});

test("Node's own modules are imported only by platform/node and devnet", () => {
  const wrong = wrongImports(
    ({ path }, { specifier }) => specifier.startsWith("node:") && !/^(platform\/node|devnet|cli)\//.test(path),
  );
  expect(wrong).toEqual([]);
});

test("Node's own modules are imported by their node: name", async () => {
  const { builtinModules } = await import("node:module");
  expect(wrongImports((_, { specifier }) => builtinModules.includes(specifier))).toEqual([]);
});

test("ethers is loaded only by the calls that need it", () => {
  const loadedAtOnce = new Set(
    sources.flatMap(({ imports }) =>
      imports.flatMap(({ target, typeOnly, dynamic }) => (typeOnly || dynamic || !target ? [] : [target])),
    ),
  );
  const wrong = wrongImports(
    ({ path }, { specifier, typeOnly }) =>
      /^ethers($|\/)/.test(specifier) && !typeOnly && !/^(payment|devnet)\//.test(path) && loadedAtOnce.has(path),
  );
  expect(wrong).toEqual([]);
});

test("pages load those parts of ethers that they need, not all of it", () => {
  const wrong = wrongImports(
    ({ path }, { specifier, typeOnly }) => specifier === "ethers" && !typeOnly && !path.startsWith("devnet/"),
  );
  expect(wrong).toEqual([]);
});
