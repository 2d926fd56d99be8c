import { groups } from "../table/index.ts";
import { listOptions } from "../table/shared-options.ts";
import type { CommandSpec } from "../table/types.ts";
import { conventions, environment, exitCodes } from "./manual.ts";
import { formatUsage } from "./usage.ts";

/** Writes the manual, for `man keeplight`. */
export function createManPage(version: string, description: string): string {
  const lines = [
    `.TH KEEPLIGHT 1 "" "keeplight ${version}" "User Commands"`,
    ".SH NAME",
    escapeText(`keeplight - ${description[0]?.toLowerCase()}${description.slice(1).replace(/\.$/, "")}`),
    ".SH SYNOPSIS",
    ".B keeplight",
    escapeText("<command> [options] [arguments]"),
    ...groups.flatMap(({ title, commands }) => [
      `.SH "${escapeText(title.toUpperCase())}"`,
      ...commands.flatMap(describeCommand),
    ]),
    ...conventions.flatMap(({ title, paragraphs }) => [
      `.SH "${title.toUpperCase()}"`,
      ...paragraphs.flatMap((paragraph) => [".PP", escapeText(paragraph.replace(/`/g, ""))]),
    ]),
    '.SH "EXIT STATUS"',
    ...exitCodes.flatMap(([code, meaning]) => [".TP", `.B ${code}`, escapeText(meaning)]),
    ".SH ENVIRONMENT",
    ...environment.flatMap(([name, meaning]) => [".TP", `.B ${escapeText(name)}`, escapeText(meaning)]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeCommand(spec: CommandSpec): string[] {
  const { summary, details, examples } = spec;
  const sentences = [`${summary[0]?.toUpperCase()}${summary.slice(1)}.`, details].filter(Boolean).join(" ");
  return [
    `.SS "${escapeText(formatUsage(spec))}"`,
    escapeText(sentences),
    ...listOptions(spec).flatMap(({ flags, summary: about }) => [".TP", `.B ${escapeText(flags)}`, escapeText(about)]),
    ".PP",
    "Examples:",
    ...examples.flatMap(([line, purpose]) => [".TP", `.B ${escapeText(line)}`, escapeText(purpose)]),
  ];
}

/** A line must not start with a control character of roff, and a minus sign is to be copied as one. */
function escapeText(text: string): string {
  return text.replace(/\\/g, "\\e").replace(/-/g, "\\-").replace(/"/g, "\\(dq").replace(/^[.']/, "\\&$&");
}
