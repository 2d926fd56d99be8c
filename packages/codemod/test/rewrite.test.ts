import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSource, readProgram } from "../src/program.ts";
import { findRedirect, rewriteFile } from "../src/rewrite-file.ts";
import { programs, toCommonJs } from "./programs.ts";

const head = 'import lighthouse from "@lighthouse-web3/sdk";\n';

/** Rewrites a text after an import of the package; returns it without the first line. */
function rewrite(text: string, path = "program.mjs"): { text: string; reasons: string[] } {
  const result = rewriteFile(head + text, path);
  return { text: result.text, reasons: result.left.map(({ line, what, reason }) => `${line} ${what}: ${reason}`) };
}

describe("leaves, with the reason,", () => {
  test.each([
    ["a result that is passed on", "export const f = (k) => lighthouse.getBalance(k);", "promise is passed on"],
    ["a result that is kept whole", "const r = await lighthouse.getBalance(k); save(r);", "whole result is passed on"],
    ["another property", "const { data, ...rest } = await lighthouse.getBalance(k);", "more than `data`"],
    [
      "a variable that is set again",
      "let r = await lighthouse.getBalance(k); r = other(); use(r.data);",
      "whole result",
    ],
    ["spread arguments", "await lighthouse.uploadText(...args);", "spread"],
    ["a missing argument", "await lighthouse.uploadText(text);", "apiKey is missing"],
    ["too many arguments", "await lighthouse.getBalance(k, 1);", "more arguments"],
    ["options from elsewhere", "await lighthouse.uploadText(t, k, 'n', options);", "made elsewhere"],
    ["a storage class", "await lighthouse.uploadText(t, k, 'n', { headers: { storageType: 'walrus' } });", "headers"],
    ["a list of a page's files", "await lighthouse.upload(files, k);", "wrapWithDirectory"],
    ["what may be a string", "await lighthouse.uploadBuffer(content, k);", "not certain"],
    ["text that is read with an encoding", "await lighthouse.uploadBuffer(readFileSync(p, 'utf8'), k);", "not certain"],
    ["progress that may be in a page", "await lighthouse.upload('a', k, 1, report);", "0 to 100 in Node"],
    [
      "progress that is reported to one of two functions",
      "const a = f(), b = f(); await lighthouse.upload(__filename, k, { onProgress: a }, b);",
      "in the options",
    ],
    [
      "progress that options leave unreported",
      "const b = f(); await lighthouse.upload(__filename, k, { cidVersion: 1 }, b);",
      "in the options",
    ],
    [
      "progress of an encryption that is reported to one of two functions",
      "const a = f(), b = f(); await lighthouse.uploadEncrypted(__filename, k, o, t, { onProgress: a }, b);",
      "in the options",
    ],
    ["an order that matters", "await lighthouse.shareFile(a, await find(), next(), t);", "another order"],
    ["conditions from elsewhere", "await lighthouse.applyAccessCondition(a, c, t, conditions);", "not written where"],
    [
      "an id as a string",
      "await lighthouse.applyAccessCondition(a, c, t, [{ id: '1', standardContractType: '' }]);",
      "number",
    ],
    ["a tested absence", "const { data } = await lighthouse.getAccessConditions(c); if (data) use();", "testing"],
    [
      "a tested message",
      "try { await lighthouse.getBalance(k); } catch (e) { if (e.message === 'x') y(); }",
      "error.code",
    ],
    ["a tested status", "await lighthouse.getBalance(k).catch((e) => e.response.status);", "promise is passed on"],
    ["a function of another name", "await lighthouse.getNothing(k);", "no such call"],
    ["a gateway", "const b = await lighthouse.decryptFile(c, k, undefined, g); Buffer.from(b);", "gateway"],
    ["a file of unknown form", "const b = await lighthouse.decryptFile(c, k); save(b);", "Uint8Array"],
    ["a comment within", "const r = await lighthouse.getBalance(k); use(r /* why */.data);", "comment"],
  ])("%s", (_, text, reason) => {
    const result = rewrite(text);
    expect(result.reasons).toEqual([expect.stringMatching(reason)]);
    expect(result.text).toBe(head.replace("@lighthouse-web3/sdk", "@keeplight/lighthouse-sdk") + text);
  });

  test.each([
    'if (e.code === "ENOENT") y();',
    'if (["ENOENT"].includes(e.code)) y();',
    'switch (e.code) { case "ENOENT": y(); }',
    "show(texts[e.code]);",
    "if (e.errno === -2) y();",
    'if (e.name !== "TypeError") y();',
    "if (e instanceof AxiosError) y();",
    'if (e === "Invalid CID") y();',
    'if (e.startsWith("Invalid")) y();',
    'if (String(e).includes("ENOENT")) y();',
    'if ((e as Error).message === "x") y();',
    'const { message } = e; if (message.startsWith("ENOENT")) y();',
    "const { response } = e; show(response.status);",
    'let last; last = e; if (last.message === "x") y();',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a program
    "const text = `failed: ${e.message}`; if (/ENOENT/.test(text)) y();",
    'if ("failed: " + e === "failed: x") y();',
    'const text = e instanceof Error ? e.message : "none"; if (text === "x") y();',
  ])("a call whose error decides: %s", (body) => {
    const reason = expect.stringContaining("test keeplight's `error.code`");
    expect(rewrite(`try { await lighthouse.getBalance(k); } catch (e) { ${body} }`, "program.ts").reasons).toEqual([
      reason,
    ]);
  });

  test("types that would not compile", () => {
    const text = "const { data } = await lighthouse.getFileInfo(c);\nconst size: string = data.fileSizeInBytes;\n";
    expect(rewrite(text, "program.ts").reasons).toEqual([expect.stringMatching(/^2 .*another type.*\(line 3\)$/)]);
    expect(rewrite(text.replace(": string", "")).reasons).toEqual([]);
  });

  test.each([
    'await rollback(new AccessError("x", error))',
    "new AccessError(error)",
    "new Error(describe(error))",
    "{ isSuccess }",
    "isSuccess",
  ])("a failure that is thrown as %s", (thrown) => {
    const text = `import { revokeAccess } from "@keeplight/kavach";
async function f() {
  const { isSuccess, error } = await revokeAccess(a, c, t, [b]);
  if (!isSuccess) throw ${thrown};
  next();
}
`;
    const result = rewriteFile(text, "a.mjs");
    expect(result.left.map(({ reason }) => reason)).toEqual(["its failure is returned: keeplight throws it (line 4)"]);
    expect(result.text).toBe(text);
  });

  test("a failure that is thrown as an Error of the program's own", () => {
    const text =
      'import { revokeAccess } from "@keeplight/kavach";\nclass Error {}\nconst { error } = await revokeAccess(a, c, t, [b]);\nif (error) throw new Error(error);\n';
    expect(rewriteFile(text, "a.mjs").text).toBe(text);
  });

  test("a package that is named in another way", () => {
    const { left, text } = rewriteFile(
      'jest.mock("@lighthouse-web3/sdk");\nexport { upload } from "@lighthouse-web3/sdk";\nimport x from "@lighthouse-web3/sdk/dist/Lighthouse/upload";\n',
      "a.js",
    );
    expect(left.map(({ line }) => line)).toEqual([1, 2, 3]);
    expect(text).toContain('jest.mock("@lighthouse-web3/sdk")');
    expect(text).toContain('export { upload } from "@keeplight/lighthouse-sdk"');
  });

  test("every call of a program that configures the package", () => {
    const redirect = { place: "setup.js:1", isFrozen: false };
    const { text, left } = rewriteFile(`${head}await lighthouse.getBalance(k);\n`, "a.mjs", redirect);
    expect(text).toContain('from "@keeplight/lighthouse-sdk"');
    expect(left).toMatchObject([{ line: 2, reason: expect.stringContaining("setup.js:1") }]);
  });

  test.each(["lighthouse-sdk", "kavach"])("what configures the drop-in %s is recognised as well", (name) => {
    const text = `import { defaultConfig } from "@keeplight/${name}/config";\ndefaultConfig.isDev = true;\n`;
    expect(findRedirect(text, "setup.js")).toEqual({ place: "setup.js:1", isFrozen: false });
  });
});

describe("rewrites", () => {
  test.each([
    [
      "what is not shadowed",
      "function f(lighthouse) { return lighthouse.upload(1); }\nawait lighthouse.removeKey(n, k);",
      'import { ipnsRemoveKey } from "keeplight";\nfunction f(lighthouse) { return lighthouse.upload(1); }\nawait ipnsRemoveKey(n, { apiKey: k });',
    ],
    [
      "under another name where that is taken",
      "const getBalance = async () => (await lighthouse.getBalance(k)).data.dataUsed;",
      'import { getBalance as keeplightGetBalance } from "keeplight";\nconst getBalance = async () => (await keeplightGetBalance({ apiKey: k })).dataUsed;',
    ],
    [
      "calls within calls",
      "const k = 1;\nawait lighthouse.deleteFile(k, (await lighthouse.getUploads(k)).data.fileList[0].id);",
      'import { deleteFile, listFiles } from "keeplight";\nconst k = 1;\nawait deleteFile((await listFiles({ apiKey: k })).fileList[0].id, { apiKey: k });',
    ],
    [
      "an assigned result",
      "let r;\nr = await lighthouse.uploadText(t, k, 'n');\nuse(r.data.Hash);",
      "import { uploadText } from \"keeplight\";\nlet r;\nr = (await uploadText(t, { apiKey: k, name: 'n' }))[0];\nuse(r.Hash);",
    ],
    [
      "a chain of promises",
      "lighthouse.uploadText(t, k, 'n').then(r => use(r.data.Hash)).catch((e) => log(e.message));",
      "import { uploadText } from \"keeplight\";\nuploadText(t, { apiKey: k, name: 'n' }).then(([r]) => use(r.Hash)).catch((e) => log(e.message));",
    ],
    [
      "a decrypted file of a page",
      "const b = await lighthouse.decryptFile(c, key);\nimg.src = URL.createObjectURL(b);",
      'import { decrypt } from "keeplight";\nconst b = await decrypt(c, { key, as: "blob" });\nimg.src = URL.createObjectURL(b);',
    ],
    [
      "a key and its file at once",
      "async function f(cid, address, jwt) {\n  // the key\n  const { data: { key } } = await lighthouse.fetchEncryptionKey(cid, address, jwt);\n  const file = await lighthouse.decryptFile(cid, key);\n  return Buffer.from(file);\n}",
      'import { decrypt } from "keeplight";\nasync function f(cid, address, jwt) {\n  // the key\n  const file = await decrypt(cid, { address, authToken: jwt });\n  return Buffer.from(file);\n}',
    ],
  ])("%s", (_, text, expected) => {
    expect(rewrite(text)).toEqual({ text: expected, reasons: [] });
  });

  test("imports of functions, dynamic imports, and types beside them", () => {
    const text = `import type { IFileUploadedResponse } from '@lighthouse-web3/sdk/dist/types'
import { getBalance as usage, getUploads } from '@lighthouse-web3/sdk'
const load = async (k: string) => {
  const { removeKey } = await import('@lighthouse-web3/sdk')
  await removeKey('name', k)
  console.log((await usage(k)).data, getUploads)
}
`;
    expect(rewriteFile(text, "a.ts").text).toBe(`import { getBalance } from 'keeplight'
import type { IFileUploadedResponse } from '@keeplight/lighthouse-sdk'
import { getUploads } from '@keeplight/lighthouse-sdk'
const load = async (k: string) => {
  const { ipnsRemoveKey } = await import('keeplight')
  await ipnsRemoveKey('name', { apiKey: k })
  console.log((await getBalance({ apiKey: k })), getUploads)
}
`);
  });

  test.each([
    "log(e.code, e.message);",
    "const { message } = e; setError(message);",
    "show(e instanceof Error ? e.message : String(e));",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a program
    "let text = ''; text = text + `failed: ${e}`; show(text);",
    "if (e != null && e.message) show('failed: ' + e.message); else throw e;",
  ])("a call whose error is only shown: %s", (body) => {
    const text = (call: string) => `try { await ${call}; } catch (e) { ${body} }`;
    expect(rewrite(text("lighthouse.getBalance(k)"))).toEqual({
      text: `import { getBalance } from "keeplight";\n${text("getBalance({ apiKey: k })")}`,
      reasons: [],
    });
  });

  test("a check of a failure, without joining the statements around it", () => {
    const text = `import { saveShards } from "@lighthouse-web3/kavach"
const { error } = await saveShards(a, c, t, shards)
if (error) {
  throw error
}
(() => log("saved"))()
`;
    expect(rewriteFile(text, "a.js").text).toBe(`import { kavachSaveShards } from "keeplight"
await kavachSaveShards(c, { address: a, authToken: t, keyShards: shards });
(() => log("saved"))()
`);
  });

  test("functions that are taken out of the object of all calls, as far as they are used", () => {
    const text = `${head}const { upload, getBalance: usage } = lighthouse;\nawait usage(k);\nsave(upload);\n`;
    expect(rewriteFile(text, "a.js").text).toBe(
      'import { getBalance } from "keeplight";\nimport lighthouse from "@keeplight/lighthouse-sdk";\nconst { upload } = lighthouse;\nawait getBalance({ apiKey: k });\nsave(upload);\n',
    );
    const all = `${head}const a = b\nconst { getBalance } = lighthouse;\n// why\n(await getBalance(k)).data.dataUsed;\n`;
    expect(rewriteFile(all, "a.js").text).toBe(
      'import { getBalance } from "keeplight";\nconst a = b\n;\n// why\n(await getBalance({ apiKey: k })).dataUsed;\n',
    );
  });

  test.each([
    [
      "an ES module",
      'import { isCidReg } from "@lighthouse-web3/kavach/dist/util";\nimport lighthouse from "@lighthouse-web3/sdk";\n',
      'import { isCidReg } from "@lighthouse-web3/kavach/dist/util";\nimport { getBalance } from "keeplight";\n',
    ],
    [
      "CommonJS",
      'const { isCidReg } = require("@lighthouse-web3/kavach/dist/util");\nconst lighthouse = require("@lighthouse-web3/sdk");\n',
      'const { isCidReg } = require("@lighthouse-web3/kavach/dist/util");\nconst { getBalance } = require("keeplight");\n',
    ],
  ])("the import after one that stays as it is, in %s", (_, imports, expected) => {
    const body = (call: string, data: string) =>
      `const f = async (k) => {\n  const ${data} = await ${call};\n  return isCidReg(data.dataUsed);\n};\n`;
    expect(rewriteFile(imports + body("lighthouse.getBalance(k)", "{ data }"), "a.js").text).toBe(
      expected + body("getBalance({ apiKey: k })", "data"),
    );
  });

  test("paths in variables, parameters and the environment, but nothing that may be a list of files", () => {
    const run = (text: string) => rewrite(`${text}\nasync function send(path) { await lighthouse.upload(path, k); }`);
    expect(run('send("a.txt"); send(process.env.FILE ?? "b");').reasons).toEqual([]);
    for (const text of ["send(files);", 'send("a"); list.forEach(send);', "", "export { send };"]) {
      expect(run(text).reasons, text).toEqual([expect.stringContaining("wrapWithDirectory")]);
    }
    expect(rewrite("await lighthouse.upload(process.env.FILE, k);").reasons).toEqual([]);
    expect(rewrite("await lighthouse.upload(process.env.FILE, k);", "a.ts").reasons).toHaveLength(1);
  });

  test("the sizes of a quote's files, but not their names", () => {
    const quote = "const { data } = await lighthouse.getQuote(p, k);\n";
    expect(rewrite(`${quote}use(data.metaData[0].fileSize, data.metaData.length, data.totalSize);`).reasons).toEqual(
      [],
    );
    expect(rewrite(`${quote}use(data.metaData[0].fileName);`).reasons).toEqual([expect.stringContaining("paths")]);
  });

  test("an async function of one parameter that has no parentheses", () => {
    const text = "lighthouse.uploadText(t, k, 'n').then(async r => use(r.data.Hash));";
    expect(rewrite(text).text).toContain(".then(async ([r]) => use(r.Hash));");
  });

  test("lines that end with a carriage return", () => {
    const text = `${head}await lighthouse.uploadEncrypted(\n  path,\n  key,\n  a,\n  t,\n);\n`.replaceAll("\n", "\r\n");
    const result = rewriteFile(text, "a.js").text;
    expect(result.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(result).toContain("authToken: t,\r\n  },\r\n);");
  });

  test("into an import of the kit that is there", () => {
    const text =
      'import { download } from "keeplight";\nimport { getBalance } from "@keeplight/lighthouse-sdk";\nawait getBalance(k);\n';
    expect(rewriteFile(text, "a.js").text).toBe(
      'import { download, getBalance } from "keeplight";\nawait getBalance({ apiKey: k });\n',
    );
  });
});

/** Code around calls, which has to stay as it is. */
const around = fc.constantFrom(
  "// lighthouse.upload(path, apiKey)\n",
  "/* a\n   comment */\n",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a program
  "const text = `lighthouse.upload(${1 + 1})`;\n",
  "function shadow(lighthouse, upload) { return lighthouse.upload(upload); }\n",
  "class A { upload = 1; static { this.b = 2; } #c() { return this.upload; } }\n",
  "for (const data of [1, 2]) { console.log(data); }\n",
  "label: while (false) { break label; }\n",
  "const { a = 1, ...others } = { a: 2, b: 3 };\n",
  "const regular = /import .* from '@lighthouse-web3\\/sdk'/;\n",
  "async function* each() { yield* []; }\n",
  "if (a ?? b?.c) ;\n",
  "\t \r\n",
);

const pieces = Object.values(programs).flatMap(({ text }) => text.split(/\n(?=\n)/).slice(1));

/** A program of pieces of programs, in which everything may occur several times. */
const program = fc
  .array(
    fc.oneof(
      around,
      fc.constantFrom(...pieces).map((piece) => `async function part() {${piece}\n}\n`),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.map((part, at) => part.replace("function part", `function part${at}`)).join(""));

const imports = fc.constantFrom(
  head,
  "import * as lighthouse from '@lighthouse-web3/sdk'\n",
  'import lighthouse, { uploadText, shareFile as share } from "@lighthouse-web3/sdk";\n',
  'const lighthouse = require("@lighthouse-web3/sdk");\n',
  `import { isCidReg } from "@lighthouse-web3/kavach/dist/util";\n${head}`,
  'const { isCidReg } = require("@lighthouse-web3/kavach/dist/util");\nconst lighthouse = require("@lighthouse-web3/sdk");\n',
);

/** Names that a program uses without declaring them. */
const listUnbound = (text: string): string[] => Object.keys(readProgram(text, "program.mjs").root.scope.globals);

test("whatever a program is made of, the result can be parsed, has its names, is final, and keeps what is no call", () => {
  fc.assert(
    fc.property(imports, program, around, (first, body, last) => {
      const text = `${first}${body}${last}`;
      const result = (() => {
        try {
          return rewriteFile(text, "program.mjs");
        } catch (error) {
          // Parts may declare a name twice, which is no program.
          if (error instanceof SyntaxError) return undefined;
          throw error;
        }
      })();
      if (!result) return;
      expect([...listUnbound(text), "Blob"]).toEqual(expect.arrayContaining(listUnbound(result.text)));
      expect(result.text.endsWith(last)).toBe(true);
      const again = rewriteFile(result.text, "program.mjs");
      expect(again.text).toBe(result.text);
      expect(again.left).toHaveLength(result.left.length);
      for (const [comment] of text.matchAll(/\/\/.*$|\/\*[\s\S]*?\*\//gm)) expect(result.text).toContain(comment);
    }),
    { numRuns: 300 },
  );
});

test("any text is either no program or becomes one, and one without the package stays as it is", () => {
  const whole = Object.values(programs).flatMap(({ text }) => [text, toCommonJs(text)]);
  fc.assert(
    fc.property(
      fc.constantFrom(...whole),
      fc.nat(5_000),
      fc.nat(40),
      fc.constantFrom("", ";", "(", "data", ".x", "\n"),
      (text, at, length, inserted) => {
        const start = at % text.length;
        const damaged = text.slice(0, start) + inserted + text.slice(start + length);
        try {
          const result = rewriteFile(damaged, "program.js");
          parseSource(result.text, "program.js");
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
          expect(() => parseSource(damaged, "program.js")).toThrow(SyntaxError);
        }
      },
    ),
    { numRuns: 500 },
  );
});
