import { gzipSync } from "node:zlib";
import { build, type Rollup } from "vite";

const PAGE = "virtual:page";

/** Builds a page that imports these names with Vite; returns the bytes that it loads initially, compressed. */
export async function measureVitePage(root: string, names: readonly string[], from = "keeplight"): Promise<number> {
  const list = names.join(", ");
  const { output } = (await build({
    root,
    configFile: false,
    logLevel: "silent",
    plugins: [
      {
        name: "page",
        resolveId: (id) => (id === PAGE ? id : undefined),
        load: (id) => (id === PAGE ? `import { ${list} } from "${from}"; globalThis.page = { ${list} };` : undefined),
      },
    ],
    build: { write: false, modulePreload: false, rollupOptions: { input: PAGE } },
  })) as Rollup.RollupOutput;
  const chunks = new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file] as const] : [])));
  const loaded = new Set([...chunks.values()].filter(({ isEntry }) => isEntry));
  for (const { imports } of loaded) for (const name of imports) loaded.add(chunks.get(name) as Rollup.OutputChunk);
  return [...loaded].reduce((bytes, { code }) => bytes + gzipSync(code).length, 0);
}
