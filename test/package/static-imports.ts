import type { Metafile } from "esbuild";

/** Lists a chunk and its static imports. */
export function listStaticImports(outputs: Metafile["outputs"], chunk: string): Set<string> {
  const loaded = new Set([chunk]);
  for (const name of loaded) {
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === "import-statement") loaded.add(path);
  }
  return loaded;
}
