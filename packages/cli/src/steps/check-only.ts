/**
 * Checks what a call would be made with, for a dry run: makes it with a signal that has fired already, so that nothing is
 * sent.
 */
export async function checkOnly(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  try {
    await call(AbortSignal.abort());
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ABORTED") throw error;
  }
}
