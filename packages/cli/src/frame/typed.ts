import type { Invocation } from "./invocation.ts";
import { UsageError } from "./usage-error.ts";

/** What was typed: arguments and options by name, as far as they were set. */
export interface Typed {
  arguments: Readonly<Record<string, string | readonly string[] | undefined>>;
  options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** Refuses empty values, such as those of variables that are not set: an empty path would be the current folder. */
export function refuseEmpty({ arguments: values, options }: Typed): void {
  const isEmpty = (value: Typed["options"][string]) => toList(value).includes("");
  for (const [name, value] of Object.entries(values)) {
    if (isEmpty(value)) throw new UsageError(`The argument ${name} is empty`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (isEmpty(value)) throw new UsageError(`The option ${toFlag(name)} is empty`);
  }
}

/** Creates what reads arguments and options. */
export function createReaders({
  arguments: values,
  options,
}: Typed): Pick<Invocation, "argument" | "list" | "option" | "options" | "flag"> {
  return {
    argument: (name) => toList(values[name])[0] ?? "",
    list: (name) => toList(values[name]),
    option: (name) => toList(options[name])[0],
    options: (name) => toList(options[name]),
    flag: (name) => options[name] === true,
  };
}

function toList(value: string | boolean | readonly string[] | undefined): string[] {
  if (value === undefined || typeof value === "boolean") return [];
  return typeof value === "string" ? [value] : [...value];
}

/** Returns an option as it is typed: `--share-to`. */
const toFlag = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
