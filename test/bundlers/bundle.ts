import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

/** Lists every file that a page's scripts contain code of, from their source maps. */
async function listBundledFiles(folder: string): Promise<string[]> {
  const maps = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".js.map"));
  const named = await Promise.all(
    maps.map(async (name) => listSources(JSON.parse(await readFile(join(folder, name), "utf8")))),
  );
  return [...new Set(named.flat().map((path) => decodeURI(path).replaceAll("\\", "/")))];
}

interface SourceMap {
  sources?: (string | null)[];
  /** Of an indexed map, which consists of other maps. */
  sections?: { map: SourceMap }[];
}

function listSources({ sources = [], sections = [] }: SourceMap): string[] {
  return [...sources.filter((path) => path !== null), ...sections.flatMap(({ map }) => listSources(map))];
}

/** Reads and concatenates all scripts of a folder. */
async function readScripts(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.m?js$/.test(name));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
}

/** Files that bundlers add to replace Node's modules and globals. */
const polyfills =
  /node_modules\/(assert|buffer|crypto-browserify|events|https?-browserify|os-browserify|path-browserify|process|querystring-es3|readable-stream|stream-browserify|stream-http|string_decoder|url|util|vm-browserify|browserify-zlib)\/|__vite-browser-external|(compiled|polyfills)\/(buffer|crypto-browserify|events|stream-browserify|util)/;

/** Fails if a page's bundle has code for Node, or a polyfill of Node. */
export async function expectNoNodeCode(folder: string): Promise<void> {
  const files = await listBundledFiles(folder);
  expect(files.filter((path) => /keeplight\/(dist|src)\/platform\/browser\b/.test(path))).not.toEqual([]);
  expect(files.filter((path) => /keeplight\/((dist|src)\/platform\/node|devnet)\b/.test(path))).toEqual([]);
  expect(files.filter((path) => polyfills.test(path))).toEqual([]);
  const scripts = await readScripts(folder);
  expect(scripts.match(/["'`]node:\w+["'`]/g) ?? []).toEqual([]);
  expect(scripts).not.toMatch(/createRequire|INSPECT_MAX_BYTES/);
}
