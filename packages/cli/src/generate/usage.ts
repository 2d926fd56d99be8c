import type { CommandSpec } from "../table/types.ts";

/** Formats how a command is typed. */
export function formatUsage({ name, arguments: given = [] }: CommandSpec): string {
  const words = given.map(({ name: argument, optional, variadic }) => {
    const inner = variadic ? `${argument}...` : argument;
    return optional ? `[${inner}]` : `<${inner}>`;
  });
  return ["keeplight", name, "[options]", ...words].join(" ");
}

/** Describes a command in whole sentences. */
export function describeCommand({ summary, details, writes }: CommandSpec): string {
  const sentences = [`${summary[0]?.toUpperCase()}${summary.slice(1)}.`, details, writes && `Writes: ${writes}.`];
  return sentences.filter(Boolean).join(" ");
}
