import { packageJson } from "../package-json.ts";
import { groups } from "../table/index.ts";
import { type ArgumentSpec, type CommandSpec, listOptions } from "../table/spec.ts";

const INDENT = "  ";
/** Narrower than this, text is left to the terminal. */
const MIN_WRAPPED = 40;
const DEFAULT_WIDTH = 80;

type Row = readonly [term: string, description: string];
type Section = readonly [title: string, rows: readonly Row[]];

const HELP: Row = ["-h, --help", "display help for command"];

/** The last lines of the program's help. */
export const HELP_FOOTER = "\nkeeplight help <command> shows the options of a command.";

/**
 * Formats the help that is requested, without what parses arguments: it is printed in a fraction of the time.
 *
 * @param words - of the command; none for the program
 * @returns `undefined` if there is no such command
 */
export function findHelp(words: readonly string[], width: number | undefined): string | undefined {
  if (words.length === 0) return `${formatProgramHelp(width)}${HELP_FOOTER}\n`;
  const spec = groups.flatMap(({ commands }) => commands).find(({ name }) => name === words.join(" "));
  return spec && formatCommandHelp(spec, width);
}

/**
 * Formats the list of all commands.
 *
 * @param width - of the terminal, in columns
 */
export function formatProgramHelp(width?: number): string {
  const sections: Section[] = [
    ["Options", [["-V, --version", "output the version number"], HELP]],
    ...groups.map(({ title }) => [title, listRows(title)] as const),
    ["Commands", [["help", "display help for command"]]],
  ];
  return format("keeplight [options] [command]", packageJson.description, sections, width);
}

export function formatCommandHelp(spec: CommandSpec, width?: number): string {
  const given = (spec.arguments ?? []).map(({ name, summary }) => [name, summary] as const);
  const options = listOptions(spec).map(({ flags, summary }) => [flags, summary] as const);
  const sections: Section[] = [
    ...(given.length > 0 ? [["Arguments", given] as const] : []),
    ["Options", [...options, HELP]],
  ];
  const examples = spec.examples.map(([line, purpose]) => `  ${line}\n      ${purpose}\n`);
  return `${format(formatUsage(spec), describeCommand(spec), sections, width)}\nExamples:\n${examples.join("")}`;
}

/** Describes a word that several commands start with, by the commands. */
export function describeFamily(word: string): string {
  const commands = groups.flatMap((group) => group.commands).filter(({ name }) => name.startsWith(`${word} `));
  return commands.map(({ name }) => name.slice(word.length + 1)).join(", ");
}

/** Lists the commands of a group; those that start with the same word share a row. */
function listRows(title: string): Row[] {
  const rows = new Map<string, string>();
  for (const { name, summary } of groups.find((group) => group.title === title)?.commands ?? []) {
    const [word = "", ...more] = name.split(" ");
    rows.set(word, more.length > 0 ? describeFamily(word) : summary);
  }
  return [...rows];
}

function format(usage: string, description: string, sections: readonly Section[], width = DEFAULT_WIDTH): string {
  const termWidth = Math.max(...sections.flatMap(([, rows]) => rows.map(([term]) => term.length)));
  const indent = " ".repeat(termWidth + 2 * INDENT.length);
  const formatRow = ([term, text]: Row) =>
    `${INDENT}${term.padEnd(termWidth)}${INDENT}${wrap(text, width - indent.length).join(`\n${indent}`)}`;
  const texts = sections.map(([title, rows]) => `\n${title}:\n${rows.map(formatRow).join("\n")}\n`);
  return `Usage: ${usage}\n\n${wrap(description, width).join("\n")}\n${texts.join("")}`;
}

function wrap(text: string, width: number): string[] {
  if (width < MIN_WRAPPED) return [text];
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Formats how a command is typed. */
export function formatUsage({ name, arguments: given = [] }: CommandSpec): string {
  return ["keeplight", name, "[options]", ...given.map(formatArgument)].join(" ");
}

export function formatArgument({ name, optional, variadic }: ArgumentSpec): string {
  const inner = variadic ? `${name}...` : name;
  return optional ? `[${inner}]` : `<${inner}>`;
}

/** Describes a command in whole sentences. */
export function describeCommand({ summary, details, writes }: CommandSpec): string {
  const sentences = [`${summary[0]?.toUpperCase()}${summary.slice(1)}.`, details, writes && `Writes: ${writes}.`];
  return sentences.filter(Boolean).join(" ");
}
