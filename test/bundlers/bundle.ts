import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

/** What the source maps of a page's scripts name: every file that something of is in them. */
async function bundledFiles(folder: string): Promise<string[]> {
  const maps = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".js.map"));
  const named = await Promise.all(
    maps.map(async (name) => sourcesOf(JSON.parse(await readFile(join(folder, name), "utf8")))),
  );
  return [...new Set(named.flat().map((path) => decodeURI(path).replaceAll("\\", "/")))];
}

interface SourceMap {
  sources?: (string | null)[];
  /** Of maps that are made of others. */
  sections?: { map: SourceMap }[];
}

function sourcesOf({ sources = [], sections = [] }: SourceMap): string[] {
  return [...sources.filter((path) => path !== null), ...sections.flatMap(({ map }) => sourcesOf(map))];
}

/** All scripts of a folder, one after the other. */
async function scriptsOf(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.m?js$/.test(name));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
}

/** What bundlers put in for Node's own modules and globals. */
const polyfills =
  /node_modules\/(assert|buffer|crypto-browserify|events|https?-browserify|os-browserify|path-browserify|process|querystring-es3|readable-stream|stream-browserify|stream-http|string_decoder|url|util|vm-browserify|browserify-zlib)\/|__vite-browser-external|(compiled|polyfills)\/(buffer|crypto-browserify|events|stream-browserify|util)/;

/** Fails where a page's bundle has code that is for Node, or stands in for Node. */
export async function expectNothingOfNode(folder: string): Promise<void> {
  const files = await bundledFiles(folder);
  expect(files.filter((path) => /keeplight\/(dist|src)\/platform\/browser\b/.test(path))).not.toEqual([]);
  expect(files.filter((path) => /keeplight\/(dist|src)\/(platform\/node|devnet)\b/.test(path))).toEqual([]);
  expect(files.filter((path) => polyfills.test(path))).toEqual([]);
  const scripts = await scriptsOf(folder);
  expect(scripts.match(/["'`]node:\w+["'`]/g) ?? []).toEqual([]);
  expect(scripts).not.toMatch(/createRequire|INSPECT_MAX_BYTES/);
}
