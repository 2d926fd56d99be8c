import { fileURLToPath } from "node:url";
import { defaultServerConditions } from "vite";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { findChromiumOrWarn } from "./test/support/chromium.mjs";
import { browser, source } from "./vitest.config.ts";

const toPath = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Its `node_modules` have React 18. */
const root = toPath("./test/react-18");
const installed = `${root}/node_modules`;
const versionCheck = `${root}/assert-version.ts`;

/** Names every module of both packages, as the ones in the root folder are of another version. */
const alias = ["react", "react-dom"].flatMap((name) => [
  { find: new RegExp(`^${name}$`), replacement: `${installed}/${name}/index.js` },
  {
    find: new RegExp(`^${name}/(jsx-runtime|jsx-dev-runtime|client|server)$`),
    replacement: `${installed}/${name}/$1.js`,
  },
]);

const inPages = (executablePath: string): TestProjectConfiguration => {
  const { test, ...project } = browser(executablePath);
  return {
    ...project,
    root,
    resolve: { ...project.resolve, dedupe: ["react", "react-dom"] },
    test: {
      ...test,
      name: "react-18",
      dir: toPath("./packages/react/test"),
      include: ["**/*.test.tsx"],
      // `Activity` is new in React 19.
      exclude: ["**/activity.test.tsx"],
      setupFiles: [versionCheck, ...test.setupFiles.map(toPath)],
      globalSetup: test.globalSetup.map(toPath),
    },
  };
};

const onServers: TestProjectConfiguration = {
  extends: true,
  resolve: { alias },
  test: {
    name: "react-18-server",
    include: ["packages/react/test/server.test.ts"],
    setupFiles: [versionCheck],
    // What is not inlined is resolved by Node, to the React of the root folder.
    server: { deps: { inline: [/@tanstack/] } },
  },
};

/** The tests of the hooks on React 18, the oldest version that they support: part of `npm run test:full`. */
export default defineConfig(async () => {
  const chromium = await findChromiumOrWarn();
  return {
    ssr: { resolve: { conditions: [source, ...defaultServerConditions] } },
    test: {
      testTimeout: 60_000,
      hookTimeout: 60_000,
      maxWorkers: "100%",
      expect: { poll: { timeout: 50_000 } },
      projects: chromium ? [inPages(chromium), onServers] : [onServers],
    },
  };
});
