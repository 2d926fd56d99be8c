import { type Check, invalidOption } from "keeplight/parts";

export const passphrase: Check<string> = (value, name) => {
  if (typeof value !== "string" || value === "") throw invalidOption(name, "a non-empty string");
  return value;
};
