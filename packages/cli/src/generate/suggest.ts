import { allCommands } from "../table/index.ts";
import { type Command, listOptions } from "../table/spec.ts";

/** What a shell offers for the word that is being typed. */
export interface Suggestions {
  /** With their summaries. */
  words: [word: string, summary: string][];
  /** As in the protocol of cobra. */
  directive: (typeof DIRECTIVE)[keyof typeof DIRECTIVE];
}

/** What the shell completes by itself: file names, folder names or nothing. */
const DIRECTIVE = { files: 0, folders: 16, nothing: 4 } as const;

/** What completes a value, by its name in the usage: file or folder names, or words. Others are not completed. */
const completions: Readonly<Record<string, "files" | "folders" | readonly string[]>> = {
  file: "files",
  path: "files",
  folder: "folders",
  plan: "folders",
  source: "folders",
  token: ["native", "usdc", "usdt", "dai"],
  shell: ["bash", "zsh", "fish", "powershell"],
};

/** Suggests completions for the last one of the words that were typed after `keeplight`. */
export function suggest(typed: readonly string[]): Suggestions {
  const current = typed.at(-1) ?? "";
  const before = typed.slice(0, -1);
  const plain = before.filter((word) => !word.startsWith("-"));
  const command = allCommands.find(({ name }) => name.split(" ").every((word, at) => plain[at] === word));
  return command ? suggestWithin(command, before, current) : suggestCommands(plain, current);
}

/** Formats suggestions as the scripts of all shells read them. */
export function formatSuggestions({ words, directive }: Suggestions): string {
  return [...words.map((word) => word.join("\t")), `:${directive}`].join("\n");
}

function suggestCommands(plain: readonly string[], current: string): Suggestions {
  const found = new Map<string, string>();
  for (const { name, summary } of allCommands) {
    const parts = name.split(" ");
    const next = parts[plain.length];
    if (next === undefined || !plain.every((word, at) => parts[at] === word) || found.has(next)) continue;
    found.set(next, parts.length > plain.length + 1 ? "several commands" : summary);
  }
  return offer([...found], current);
}

function suggestWithin(command: Command, before: readonly string[], current: string): Suggestions {
  const options = listOptions(command);
  /** The usage of the value that a word takes. */
  const valueAfter = (word = ""): string | undefined =>
    options.find(({ flags }) => flags.split(/[ ,]+/).includes(word))?.flags.match(/<.*>/)?.[0];
  const isOver = before.includes("--");
  const waiting = isOver ? undefined : valueAfter(before.at(-1));
  if (waiting !== undefined) return complete(waiting, current);
  if (!isOver && current.startsWith("-")) {
    return offer(
      options.map(({ flags, summary }) => [/--[\w-]+/.exec(flags)?.[0] ?? "", summary]),
      current,
    );
  }
  // Neither options nor their values.
  const positional = before.filter((word, at) => !word.startsWith("-") && valueAfter(before[at - 1]) === undefined);
  const expected = Object.keys(command.arguments ?? {});
  const last = expected.at(-1);
  const argument = expected[positional.length - command.name.split(" ").length];
  return complete(argument ?? (last?.includes("...") ? last : ""), current);
}

/** Completes the value of an option or an argument by how it is typed: `<path...>`. */
function complete(typed: string, current: string): Suggestions {
  const known = completions[typed.replace(/\W/g, "")] ?? [];
  if (typeof known === "string") return { words: [], directive: DIRECTIVE[known] };
  return offer(
    known.map((word) => [word, ""]),
    current,
  );
}

function offer(words: Suggestions["words"], current: string): Suggestions {
  return { words: words.filter(([word]) => word.startsWith(current)), directive: DIRECTIVE.nothing };
}
