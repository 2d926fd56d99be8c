import { isKeeplightError } from "keeplight";

/** Returns the code of the error that `attempt` throws, or `undefined` if it succeeds. */
export async function getFailureCode(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (isKeeplightError(error)) return error.code;
    throw error;
  }
}
