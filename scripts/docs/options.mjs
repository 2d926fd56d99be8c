// @ts-check
// Writes what is generated from the doc comments of options: the tables of docs/calls-and-options.md, and texts for the
// help of the command line. `npm run docs:options`; a test compares both with what this would write.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readCalls, readOption } from "./read-options.mjs";

/** @typedef {import("./read-options.mjs").Option} Option */

const page = fileURLToPath(new URL("../../docs/calls-and-options.md", import.meta.url));
const tables = fileURLToPath(new URL("../../packages/cli/src/table/", import.meta.url));

/** Areas of the page, by the folder that has the calls. */
const areas = Object.entries({
  "src/storage/upload/": "Upload",
  "src/storage/download/": "Read back",
  "src/storage/folders/": "Encrypted folders",
  "src/storage/files/": "Files",
  "src/storage/account/": "Account",
  "src/storage/ipns/": "Names",
  "src/keys/": "Keys and access",
  "src/payment/": "Payment",
  "src/network/": "Wallets of a page",
  "src/storage/proof/": "Proofs",
  "src/storage/resume/": "Interrupted work",
  "src/formats/": "Bytes",
});
/** Options of one interface that so many calls take have one table for all of them. */
const SHARED_BY = 4;
/** Of the formatter. */
const LINE_WIDTH = 120;
/** Around what is generated. */
const START = "<!-- Generated from the doc comments of the sources, by npm run docs:options -->";
const END = "<!-- End of what is generated -->";

/** Creates the files that are generated, as they should be. */
export function createOptionFiles() {
  const [before = "", , after] = readFileSync(page, "utf8").split(new RegExp(`${START}|${END}`));
  if (after === undefined) throw new Error(`${page} lacks the lines around what is generated`);
  return [
    { path: page, text: `${before}${START}\n\n${createTables()}\n\n${END}${after}` },
    { path: `${tables}option-texts.ts`, text: createHelpTexts() },
  ];
}

function createTables() {
  const calls = readCalls();
  const unplaced = calls.find(({ file }) => !areas.some(([folder]) => file.startsWith(folder)));
  if (unplaced) throw new Error(`No area of the page has ${unplaced.file}`);
  /** @type {Map<string, Map<string, Option>>} */
  const groups = new Map();
  for (const option of calls.flatMap(({ options }) => options)) {
    const known = groups.get(option.group) ?? new Map();
    groups.set(option.group, known.has(option.name) ? known : known.set(option.name, option));
  }
  const countCalls = (/** @type {string} */ group) =>
    calls.filter(({ options }) => options.some((option) => option.group === group)).length;
  const shared = [...groups]
    .map(([name, options]) => ({ name, options: [...options.values()], uses: countCalls(name) }))
    .filter(({ uses }) => uses >= SHARED_BY)
    .sort((a, b) => b.uses - a.uses);
  const formatCall = (/** @type {(typeof calls)[number]} */ { name, text, options }) => {
    const own = options.filter(({ group }) => !shared.some((each) => each.name === group));
    const others = shared.flatMap((group) => {
      const taken = options.filter((option) => option.group === group.name).map((option) => `\`${option.name}\``);
      const which = taken.length < group.options.length ? ` (${taken.join(", ")})` : "";
      return taken.length > 0 ? [`[${group.name}](#${group.name.toLowerCase()})${which}`] : [];
    });
    const takes = own.length > 0 ? "Also takes" : "Takes";
    return [
      `### ${name}`,
      takeSentence(text),
      ...(own.length > 0 ? [formatTable(own)] : []),
      ...(others.length > 0 ? [`${takes} ${others.join(", ")}.`] : []),
    ];
  };
  return [
    ...shared.flatMap(({ name, options }) => [`### ${name}`, takeSentence(options[0]?.about), formatTable(options)]),
    ...areas.flatMap(([folder, title]) => [
      `## ${title}`,
      ...calls.filter(({ file }) => file.startsWith(folder)).flatMap(formatCall),
    ]),
  ].join("\n\n");
}

/** @param {readonly Option[]} options */
function formatTable(options) {
  const rows = options.map(({ name, type, text, fallback = "–", isRequired }) => {
    const cells = [`\`${name}\``, `\`${type}\``, isRequired ? "required" : fallback, text];
    return `| ${cells.map((cell) => cell.replace(/\|/g, "\\|")).join(" | ")} |`;
  });
  return ["| option | type | default | what it does |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** Creates a module of the texts that the tables of commands use. */
function createHelpTexts() {
  const sources = readdirSync(tables).map((name) => readFileSync(`${tables}${name}`, "utf8"));
  const uses = sources.flatMap((source) => [...source.matchAll(/optionTexts\["((\w+)\.(\w+))"\]/g)]);
  const lines = uses.map(([, key = "", group = "", name = ""]) => {
    const text = JSON.stringify(formatHelp(readOption(group, name)));
    const line = `  "${key}": ${text},`;
    return line.length > LINE_WIDTH ? `  "${key}":\n    ${text},` : line;
  });
  return `// Generated from the doc comments of the options, by npm run docs:options

/** What an option does that a command passes on as it is. */
export const optionTexts = {
${[...new Set(lines)].sort().join("\n")}
};
`;
}

/**
 * Formats the first sentence about an option as help: without code marks, and with its default.
 *
 * @param {Option} option
 */
function formatHelp({ text, fallback = "none" }) {
  const sentence = takeSentence(text)
    .replace(/\.$/, "")
    .replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  const isSaid = /^(none|`?(false|true)`?)$/.test(fallback) || fallback.length > 60;
  return `${sentence}${isSaid ? "" : `; by default ${fallback}`}`.replaceAll("`", "");
}

function takeSentence(text = "") {
  return /^.*?[.!?](?=\s[A-Z`]|$)/.exec(text)?.[0] ?? text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of createOptionFiles()) writeFileSync(path, text);
}
