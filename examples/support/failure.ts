import { isKeeplightError } from "keeplight";

/** The code of the error that an attempt ends in, or nothing if it succeeds. */
export async function failureOf(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (isKeeplightError(error)) return error.code;
    throw error;
  }
}
