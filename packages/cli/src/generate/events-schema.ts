import { EVENT_VERSION } from "../output/output.ts";
import { packageJson } from "../package-json.ts";
import { allCommands } from "../table/index.ts";
import type { Texts } from "../table/spec.ts";

const text = { type: "string" };
const number = { type: "number" };

/** Fields of the events that every command prints. */
const common = {
  progress: fieldsOf(
    { phase: text, loaded: number, fraction: { type: "number", minimum: 0, maximum: 1 } },
    { total: number },
  ),
  warning: fieldsOf({ message: text }),
  error: fieldsOf(
    { code: text, message: text, details: { type: "object" }, exitCode: { type: "integer" } },
    { resume: text },
  ),
};

/** Creates the JSON Schema of what `--json` prints in one line: an event of any command. */
export function createEventsSchema(): object {
  const ofCommands = allCommands.flatMap(({ name, item, result }) => [
    ruleFor({ command: name, event: "item" }, item ? describeFields(item) : false),
    ruleFor({ command: name, event: "result" }, describeFields(result)),
  ]);
  const ofEvents = Object.entries(common).map(([event, fields]) => ruleFor({ event }, fields));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Events of ${packageJson.name}`,
    type: "object",
    required: ["version", "command", "event"],
    properties: {
      version: { const: EVENT_VERSION },
      // A mistake in the arguments may leave the command unknown.
      command: { enum: ["", ...allCommands.map(({ name }) => name)] },
      event: { enum: [...Object.keys(common), "item", "result"] },
    },
    allOf: [...ofEvents, ...ofCommands],
  };
}

function ruleFor(event: Texts, fields: object | false): object {
  const properties = Object.fromEntries(Object.entries(event).map(([name, value]) => [name, { const: value }]));
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so
  return { if: { properties, required: Object.keys(event) }, then: fields };
}

function fieldsOf(required: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}): object {
  return { properties: { ...required, ...optional }, required: Object.keys(required) };
}

/** Describes fields as the table has them: a name that ends with `?` may be absent. */
function describeFields(texts: Texts): object {
  const fields = Object.entries(texts).map(([name, description]) => [name, { description }] as const);
  const required = fields.filter(([name]) => !name.endsWith("?"));
  const optional = fields.filter(([name]) => name.endsWith("?")).map(([name, about]) => [name.slice(0, -1), about]);
  return fieldsOf(Object.fromEntries(required), Object.fromEntries(optional));
}
