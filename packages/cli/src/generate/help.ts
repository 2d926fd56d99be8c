import { packageJson } from "../package-json.ts";
import { allCommands, groups } from "../table/index.ts";
import { type Command, describeArguments, describeOptions, type Texts } from "../table/spec.ts";

const INDENT = "  ";
/** Narrower than this, text is left to the terminal. */
const MIN_WRAPPED = 40;
const DEFAULT_WIDTH = 80;

const HELP = { "-h, --help": "display help for command" };

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
  const command = allCommands.find(({ name }) => name === words.join(" "));
  return command && formatCommandHelp(command, width);
}

/**
 * Formats the list of all commands.
 *
 * @param width - of the terminal, in columns
 */
export function formatProgramHelp(width?: number): string {
  const sections = {
    Options: { "-V, --version": "output the version number", ...HELP },
    ...Object.fromEntries(groups.map(({ title, commands }) => [title, describeCommands(commands)])),
    Commands: { help: "display help for command" },
  };
  return format("keeplight [options] [command]", packageJson.description, sections, width);
}

export function formatCommandHelp(command: Command, width?: number): string {
  const sections = {
    ...(command.arguments ? { Arguments: describeArguments(command) } : {}),
    Options: { ...describeOptions(command), ...HELP },
  };
  const examples = Object.entries(command.examples).map(([line, purpose]) => `  ${line}\n      ${purpose}\n`);
  return `${format(formatUsage(command), describeCommand(command), sections, width)}\nExamples:\n${examples.join("")}`;
}

/** Describes a word that several commands start with, by the commands. */
export function describeFamily(word: string): string {
  const names = allCommands.map(({ name }) => name).filter((name) => name.startsWith(`${word} `));
  return names.map((name) => name.slice(word.length + 1)).join(", ");
}

/** Describes commands; those that start with the same word share a row. */
function describeCommands(commands: readonly Command[]): Texts {
  const rows = commands.map(({ name, summary }) => {
    const [word = "", ...more] = name.split(" ");
    return [word, more.length > 0 ? describeFamily(word) : summary];
  });
  return Object.fromEntries(rows);
}

function format(
  usage: string,
  description: string,
  sections: Readonly<Record<string, Texts>>,
  width = DEFAULT_WIDTH,
): string {
  const termWidth = Math.max(
    ...Object.values(sections)
      .flatMap(Object.keys)
      .map((term) => term.length),
  );
  const indent = " ".repeat(termWidth + 2 * INDENT.length);
  const formatRow = ([term, text]: readonly [string, string]) =>
    `${INDENT}${term.padEnd(termWidth)}${INDENT}${wrap(text, width - indent.length).join(`\n${indent}`)}`;
  const texts = Object.entries(sections).map(
    ([title, rows]) => `\n${title}:\n${Object.entries(rows).map(formatRow).join("\n")}\n`,
  );
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
export function formatUsage({ name, arguments: given = {} }: Command): string {
  return ["keeplight", name, "[options]", ...Object.keys(given)].join(" ");
}

/** Describes a command in whole sentences. */
export function describeCommand({ about, writes }: Command): string {
  return writes === undefined ? about : `${about} Writes: ${writes}.`;
}
