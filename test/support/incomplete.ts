/** Options as JavaScript may pass them: without some that the types require, or none at all. */
export function incomplete(options?: object): never {
  return options as never;
}
