import * as v from "valibot";

// Each kind of schema adds code to every page that checks responses: `custom` alone covers most cases.

/** A string that matches the pattern; `expected` describes it. */
export function textLike(pattern: RegExp, expected?: string): v.GenericSchema<string> {
  return v.custom((value) => typeof value === "string" && pattern.test(value), expected);
}

/** A number for which `isValid` holds; `expected` describes it. */
export function numberThat(isValid: (number: number) => boolean, expected?: string): v.GenericSchema<number> {
  return v.custom((value) => typeof value === "number" && isValid(value), expected);
}

/** A safe integer from `min` on. */
export function wholeFrom(min: number): v.GenericSchema<number> {
  return numberThat((number) => Number.isSafeInteger(number) && number >= min);
}

/** One of these names; `expected` describes them. */
export function oneOf<const Name extends string>(names: readonly Name[], expected: string): v.GenericSchema<Name> {
  return v.custom((value) => names.some((name) => name === value), expected);
}

/** A value that may be undefined; a field with it may be absent. */
export function optional<Input, Output>(
  schema: v.GenericSchema<Input, Output>,
): v.GenericSchema<Input | undefined, Output | undefined> {
  return v.optional(schema);
}

/** Whether a value is an object and no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema of each field of an object. */
export type Fields = Readonly<Record<string, v.GenericSchema>>;

/** Schema of an object with these fields. */
export interface ObjectSchema<Known extends Fields>
  extends v.GenericSchema<WithOptional<Inputs<Known>>, WithOptional<Outputs<Known>>> {}

/** Schema of an object with these fields and any others. */
export interface LooseObjectSchema<Known extends Fields>
  extends v.GenericSchema<unknown, Flat<WithOptional<Outputs<Known>> & { [field: string]: unknown }>> {}

// The types of valibot's own objects and optional fields are too deep for the compiler to check in a declaration file.
type Inputs<Known extends Fields> = { [Name in keyof Known]: v.InferInput<Known[Name]> };
type Outputs<Known extends Fields> = { [Name in keyof Known]: v.InferOutput<Known[Name]> };

/** Fields that may be undefined are optional. */
type WithOptional<Values> = Flat<
  { [Name in keyof Values as undefined extends Values[Name] ? never : Name]: Values[Name] } & {
    [Name in keyof Values as undefined extends Values[Name] ? Name : never]?: Values[Name];
  }
>;

/** Editors show the fields of an intersection as those of one object. */
type Flat<Values> = { [Name in keyof Values]: Values[Name] } & {};

/** An object with these fields; others are dropped. */
export function object<Known extends Fields>(fields: Known): ObjectSchema<Known> {
  return createObjectSchema(fields, "drop");
}

/** An object with these fields; others are kept. */
export function looseObject<Known extends Fields>(fields: Known): LooseObjectSchema<Known> {
  return createObjectSchema(fields, "keep");
}

/** An object with these fields and no others, which `unexpected` describes; `expected` describes the object. */
export function strictObject<Known extends Fields>(
  fields: Known,
  unexpected: string,
  expected?: string,
): ObjectSchema<Known> {
  return createObjectSchema(fields, { unexpected }, expected);
}

/**
 * An object whose fields are checked in the order of `fields`, and then the others. Unlike the objects of valibot it
 * refuses arrays, reports a missing field as its schema does, and all unexpected fields.
 */
function createObjectSchema<Input, Output>(
  fields: Fields,
  others: "keep" | "drop" | { unexpected: string },
  expected?: string,
): v.GenericSchema<Input, Output> {
  return v.pipe(
    v.custom<Input & Record<string, unknown>>(isObject, expected),
    v.rawTransform(({ dataset: { value: input }, config: { abortEarly }, addIssue }) => {
      const output: Record<string, unknown> = {};
      const addProblem = (message: string, key: string, path: Path = []) =>
        addIssue({ message, path: [{ type: "object", origin: "value", input, key, value: input[key] }, ...path] });
      for (const [name, schema] of Object.entries(fields)) {
        const read = v.safeParse(schema, input[name], { abortEarly });
        for (const { message, path } of read.issues ?? []) addProblem(message, name, path);
        if (read.output !== undefined || name in input) output[name] = read.output;
      }
      for (const name in input) {
        if (Object.hasOwn(fields, name)) continue;
        if (others === "keep" && name !== "__proto__") output[name] = input[name];
        if (typeof others === "object") addProblem(others.unexpected, name);
      }
      return output as Output;
    }),
  );
}

type Path = readonly v.IssuePathItem[];

/** Where a problem is: names of fields and positions in arrays. */
export function getPath({ path = [] }: { path?: Path | undefined }): (string | number)[] {
  return path.map(({ key }) => key as string | number);
}
