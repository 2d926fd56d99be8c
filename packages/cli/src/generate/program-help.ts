import { packageJson } from "../package-json.ts";
import { groups } from "../table/index.ts";

const INDENT = "  ";
/** Narrower than this, text is left to the terminal. */
const MIN_WRAPPED = 40;

type Row = readonly [term: string, description: string];

const OPTIONS: readonly Row[] = [
  ["-V, --version", "output the version number"],
  ["-h, --help", "display help for command"],
];

/** The last lines of the program's help. */
export const HELP_FOOTER = "\nkeeplight help <command> shows the options of a command.";

/**
 * Formats the list of all commands, without what parses them: it is printed in a fraction of the time.
 *
 * @param width - of the terminal, in columns
 */
export function formatProgramHelp(width = 80): string {
  const sections: (readonly [title: string, rows: readonly Row[]])[] = [
    ["Options", OPTIONS],
    ...groups.map(({ title }) => [title, listRows(title)] as const),
    ["Commands", [["help", "display help for command"]]],
  ];
  const termWidth = Math.max(...sections.flatMap(([, rows]) => rows.map(([term]) => term.length)));
  const indent = " ".repeat(termWidth + 2 * INDENT.length);
  const format = ([term, description]: Row) => {
    const lines = wrap(description, width - indent.length);
    return `${INDENT}${term.padEnd(termWidth)}${INDENT}${lines.join(`\n${indent}`)}`;
  };
  return [
    "Usage: keeplight [options] [command]",
    "",
    ...wrap(packageJson.description, width),
    "",
    ...sections.flatMap(([title, rows]) => [`${title}:`, ...rows.map(format), ""]),
  ].join("\n");
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
