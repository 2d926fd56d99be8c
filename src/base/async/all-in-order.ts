/**
 * Resolves to the results of work that runs in parallel, once all of it has settled: nothing is left running. If several
 * fail, throws the failure of the first in the list, not of the fastest.
 */
export async function allInOrder<const T extends readonly unknown[]>(
  work: T,
): Promise<{ -readonly [Key in keyof T]: Awaited<T[Key]> }> {
  await Promise.allSettled(work);
  const results: unknown[] = [];
  for (const one of work) results.push(await one);
  return results as { -readonly [Key in keyof T]: Awaited<T[Key]> };
}
