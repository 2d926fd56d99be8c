import { isKeeplightError, type KeeplightError } from "../../src/base/errors/base.ts";

/** Returns the error that the call fails with; throws if that is not a KeeplightError. */
export async function failure(call: Promise<unknown>): Promise<KeeplightError> {
  const outcome = await call.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  );
  if (isKeeplightError(outcome)) return outcome;
  throw outcome;
}

/** What a broken wallet may throw: a value that throws a TypeError when it is read. */
export function createUnreadableError(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
