import { Ajv2020 } from "ajv/dist/2020.js";
import { createEventsSchema } from "../src/generate/events-schema.ts";
import { groups } from "../src/table/index.ts";
import type { Texts } from "../src/table/spec.ts";
import type { CliEvent } from "./rig.ts";

const matches = new Ajv2020({ strict: false }).compile(createEventsSchema());

/** Whether the JSON Schema of the events has what was printed. */
export const isValidEvent = (event: unknown): boolean => matches(event);

/** Lists what the events of a command have that its documentation does not, or lack that it promises. */
export function findUndocumented(command: string, events: readonly CliEvent[]): string[] {
  const spec = groups.flatMap(({ commands }) => commands).find(({ name }) => name === command);
  if (!spec) return [`there is no command ${command}`];
  const last = events.at(-1)?.event;
  const problems = last === "result" || last === "error" ? [] : [`the last event is ${last}`];
  for (const each of events) if (!isValidEvent(each)) problems.push(`${each.event}: ${JSON.stringify(matches.errors)}`);
  for (const { version, command: name, event, ...data } of events) {
    if (version !== 1 || name !== command) problems.push(`version ${version}, command ${name}`);
    const fields = { item: spec.item ?? {}, result: spec.result, ...common }[event];
    problems.push(...compare(event, fields, Object.keys(data)));
  }
  return problems;
}

const common: Record<"progress" | "warning" | "error", Texts> = {
  progress: { phase: "", loaded: "", "total?": "", fraction: "" },
  warning: { message: "" },
  error: { code: "", message: "", details: "", exitCode: "", "resume?": "" },
};

function compare(event: string, fields: Texts, found: readonly string[]): string[] {
  const known = Object.keys(fields).map((name) => name.replace("?", ""));
  const required = Object.keys(fields).filter((name) => !name.endsWith("?"));
  return [
    ...found.filter((name) => !known.includes(name)).map((name) => `${event} has ${name}`),
    ...required.filter((name) => !found.includes(name)).map((name) => `${event} lacks ${name}`),
  ];
}
