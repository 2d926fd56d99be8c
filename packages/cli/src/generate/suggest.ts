import { groups } from "../table/index.ts";
import { type ArgumentSpec, type CommandSpec, listOptions, type OptionSpec } from "../table/spec.ts";

/** What a shell offers for the word that is being typed. */
export interface Suggestions {
  words: { value: string; summary: string }[];
  /** As in the protocol of cobra: 0 lets the shell complete file names, 16 folders, 4 nothing. */
  directive: 0 | 4 | 16;
}

const FILES = 0;
const NOTHING = 4;
const FOLDERS = 16;

/** Suggests completions for the last one of the words that were typed after `keeplight`. */
export function suggest(typed: readonly string[]): Suggestions {
  const current = typed.at(-1) ?? "";
  const before = typed.slice(0, -1);
  const all = groups.flatMap(({ commands }) => commands);
  const plain = before.filter((word) => !word.startsWith("-"));
  const spec = all.find(({ name }) => name.split(" ").every((word, at) => plain[at] === word));
  if (!spec) return suggestCommands(all, plain, current);
  return suggestWithin(spec, before, current);
}

/** Formats suggestions as the scripts of all shells read them. */
export function formatSuggestions({ words, directive }: Suggestions): string {
  return [...words.map(({ value, summary }) => `${value}\t${summary}`), `:${directive}`].join("\n");
}

function suggestCommands(all: readonly CommandSpec[], plain: readonly string[], current: string): Suggestions {
  const found = new Map<string, string>();
  for (const { name, summary } of all) {
    const parts = name.split(" ");
    const next = parts[plain.length];
    if (next === undefined || !plain.every((word, at) => parts[at] === word)) continue;
    if (!found.has(next)) found.set(next, parts.length > plain.length + 1 ? "several commands" : summary);
  }
  const words = [...found].map(([value, summary]) => ({ value, summary }));
  return offer(words, current);
}

function suggestWithin(spec: CommandSpec, before: readonly string[], current: string): Suggestions {
  const options = listOptions(spec);
  const isOver = before.includes("--");
  const waiting = isOver ? undefined : options.find((option) => takesValue(option) && hasFlag(option, before.at(-1)));
  if (waiting) return complete(waiting, current);
  if (!isOver && current.startsWith("-")) {
    const flags = options.map(({ flags: all, summary }) => ({ value: /--[\w-]+/.exec(all)?.[0] ?? "", summary }));
    return offer(flags, current);
  }
  const given = listPositional(options, before).length - spec.name.split(" ").length;
  const wanted = spec.arguments ?? [];
  const argument = wanted[given] ?? (wanted.at(-1)?.variadic ? wanted.at(-1) : undefined);
  return argument ? complete(argument, current) : { words: [], directive: NOTHING };
}

/** Lists the words that are neither options nor their values. */
function listPositional(options: readonly OptionSpec[], before: readonly string[]): string[] {
  return before.filter((word, at) => {
    const previous = options.find((option) => hasFlag(option, before[at - 1]));
    return !word.startsWith("-") && !(previous && takesValue(previous));
  });
}

function complete({ completes }: Pick<ArgumentSpec, "completes">, current: string): Suggestions {
  if (completes === "file") return { words: [], directive: FILES };
  if (completes === "folder") return { words: [], directive: FOLDERS };
  const words = (completes ?? []).map((value) => ({ value, summary: "" }));
  return offer(words, current);
}

function offer(words: Suggestions["words"], current: string): Suggestions {
  return { words: words.filter(({ value }) => value.startsWith(current)), directive: NOTHING };
}

function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes("<");
}

function hasFlag({ flags }: OptionSpec, word: string | undefined): boolean {
  return word !== undefined && flags.split(/[ ,]+/).includes(word);
}
