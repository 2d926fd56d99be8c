import { cp } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Devnet, startDevnet } from "../../packages/devnet/src/index.ts";
import { chromiumArgs, findChromium } from "../support/chromium.mjs";
import { expectNoNodeCode } from "./bundle.ts";
import { createFreshApp, type FreshApp } from "./fresh-app.ts";
import { openPage, runJobs } from "./in-chromium.ts";
import { serveFolder } from "./serve-folder.ts";

const MINUTES = 600_000;
const executablePath = await findChromium();
/** Matches a bundler's warnings and errors. */
const WARNING = /warn|\(!\)|\[[A-Z]+_[A-Z_]+\]|may not|deprecat|unresolved|could not|can't|circular|exceed/i;

/**
 * Removes what Vite and Rollup report of packages of others as they are published: directives for servers, comments that
 * mention annotations, and modules that import each other. The page works all the same.
 */
function withoutOthers(output: string): string {
  return stripVTControlCharacters(output)
    .replace(/^\[MODULE_LEVEL_DIRECTIVE\] .*"node_modules\/@tanstack\/[\s\S]*?───╯\n/gm, "")
    .replace(/^\(!\) node_modules\/@tanstack\/.*"use client"[\s\S]*?(?=^\(!\)|^created )/gm, "")
    .replace(/^\(!\) node_modules\/(zod|@scure\/base)\/.*: A comment\n[\s\S]*?(?=^\(!\)|^created )/gm, "")
    .replace(/^node_modules\/(zod|age-encryption)\/\S+( -> node_modules\/\1\/\S+)+\n/gm, "")
    .replace(/^\(!\) Circular dependenc(y|ies)\n(?=\(!\)|created )/gm, "");
}

/** The usual commands, from the bundlers' own documentation. */
const bundlers = [
  { name: "Vite", command: ["vite", "build", "--sourcemap", "--outDir", "vite"] },
  {
    name: "webpack",
    command: ["webpack", "--mode", "production", "--devtool", "source-map", "--entry", "./main.js", "-o", "webpack"],
  },
  {
    name: "esbuild",
    command: [
      "esbuild",
      "main.js",
      "--bundle",
      "--splitting",
      "--format=esm",
      "--minify",
      "--sourcemap",
      "--outdir=esbuild",
    ],
  },
  { name: "Rollup", command: ["rollup", "--config", "--dir", "rollup"] },
] as const;

let app: FreshApp;
let devnet: Devnet;
let browser: Browser | undefined;

beforeAll(async () => {
  [app, devnet, browser] = await Promise.all([
    createFreshApp({ plain: "." }, [
      "@rollup/plugin-commonjs",
      "@rollup/plugin-node-resolve",
      "@rollup/plugin-replace",
      "esbuild",
      "react",
      "react-dom",
      "rollup",
      "vite",
      "webpack",
      "webpack-cli",
    ]),
    startDevnet(),
    executablePath ? chromium.launch({ executablePath, args: chromiumArgs }) : undefined,
  ]);
}, MINUTES);

afterAll(async () => {
  await browser?.close();
  await devnet?.close();
  await app?.remove();
});

describe.each(bundlers)("a page built by $name", ({ name, command: [program, ...args] }) => {
  const getFolder = () => join(app.folder, program);

  test(
    "is built without a warning",
    async () => {
      const output = await app.run(program, ...args);
      expect(withoutOthers(output)).not.toMatch(WARNING);
      if (program !== "vite") await cp(join(app.folder, "index.html"), join(getFolder(), "index.html"));
    },
    MINUTES,
  );

  test("has no Node code and no polyfill", async () => {
    await expectNoNodeCode(getFolder());
  });

  test.skipIf(!executablePath)(
    "encrypts, shares, sets conditions, decrypts with hooks, and loads the payment code only to pay",
    async () => {
      const { url, close } = await serveFolder(getFolder());
      try {
        if (browser) await runJobs(await openPage(browser, devnet, url), name);
      } finally {
        await close();
      }
    },
    MINUTES,
  );
});
