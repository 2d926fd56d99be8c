import { EVENT_VERSION } from "../output/output.ts";
import { groups } from "../table/index.ts";
import { listOptions } from "../table/shared-options.ts";
import type { CommandSpec, Fields } from "../table/types.ts";
import { conventions, environment, exitCodes } from "./manual.ts";
import { describeCommand, formatUsage } from "./usage.ts";

/** Writes the page about the command line, in Markdown. */
export function createDocsPage(): string {
  const list = groups.map(({ title, commands }) => {
    const rows = commands.map(({ name, summary }) => `| [\`${name}\`](#${toAnchor(name)}) | ${escapeText(summary)} |`);
    return `| ${title} | |\n| --- | --- |\n${rows.join("\n")}`;
  });
  const parts = [
    "# The command line",
    "<!-- Generated from packages/cli/src/table, by npm run docs:cli -->",
    "`npx @keeplight/cli <command>`, or, installed (`npm i -g @keeplight/cli`), `keeplight <command>`.",
    ...list,
    ...conventions.flatMap(({ title, paragraphs }) => [`## ${title}`, ...paragraphs]),
    "## Exit codes",
    formatTable(["code", "meaning"], exitCodes),
    "## Environment",
    formatTable(
      ["variable", "meaning"],
      environment.map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
    "## Events",
    `With \`--json\` every line of standard output is one event: an object with \`version\` (${EVENT_VERSION}), \`command\` and \`event\`. The last event is \`result\` or \`error\`. A field may be added at any time; the version changes when one is removed or changes its meaning. Amounts that may exceed 2^53 are decimal strings.`,
    formatTable(
      ["event", "fields"],
      [
        ["progress", "`phase`, `loaded` and `total` in bytes (in `saving-keys`: shards), `fraction` from 0 to 1"],
        ["item", "one of several results; see each command"],
        ["result", "see each command"],
        ["warning", "`message`"],
        [
          "error",
          "`code`, `message`, `details`, `exitCode`; `resume`, the command that continues the work, if there is one",
        ],
      ],
    ),
    ...groups.flatMap(({ commands }) => commands.flatMap(formatCommand)),
  ];
  return `${parts.join("\n\n")}\n`;
}

function formatCommand(spec: CommandSpec): string[] {
  const { name, examples, item, result } = spec;
  const options = listOptions(spec).map(({ flags, summary: about }) => [`\`${flags}\``, about] as const);
  const given = (spec.arguments ?? []).map((each) => [`\`${each.name}\``, each.summary] as const);
  return [
    `## ${name}`,
    `\`\`\`sh\n${formatUsage(spec)}\n\`\`\``,
    escapeText(describeCommand(spec)),
    formatTable(["argument or option", "meaning"], [...given, ...options]),
    `\`\`\`sh\n${examples.map(([line, purpose]) => `${line}  # ${purpose}`).join("\n")}\n\`\`\``,
    ...(item ? [`Fields of \`item\`: ${formatFields(item)}.`] : []),
    `Fields of \`result\`: ${formatFields(result)}.`,
  ];
}

function formatFields(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, about]) => `\`${name}\` (${about})`)
    .join(", ");
}

function formatTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]) => `| ${cells.map(escapeText).join(" | ")} |`;
  return [toRow(titles), toRow(titles.map(() => "---")), ...rows.map(toRow)].join("\n");
}

/** Keeps cells apart, and `<words>` outside of code from becoming HTML. */
function escapeText(text: string): string {
  const escaped = text.replace(/\|/g, "\\|");
  return escaped
    .split("`")
    .map((part, at) => (at % 2 === 0 ? part.replace(/</g, "&lt;") : part))
    .join("`");
}

function toAnchor(name: string): string {
  return name.replace(/ /g, "-");
}
