import { isKeeplightError, UnfinishedError } from "keeplight";

/** Does the work; an error after something was signed, or of work that was resumed, can be resumed. */
export async function insist<T>(
  isResumed: boolean,
  work: (signal: AbortSignal | undefined) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  try {
    return await work(signal);
  } catch (error) {
    if (!isKeeplightError(error) || !(isResumed || error.details["payment"])) throw error;
    const { code, message, details, cause } = error;
    const resume = ({ signal: other }: { signal?: AbortSignal | undefined }) => insist(true, work, other);
    throw new UnfinishedError<T, { signal?: AbortSignal | undefined }>(code, message, { details, cause, resume });
  }
}
