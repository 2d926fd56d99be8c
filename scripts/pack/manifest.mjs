// @ts-check

/** @typedef {{ name: string, files: string[], exports?: unknown, imports?: unknown }} Manifest */

/** Fields of package.json of which only a checkout makes use. */
const checkoutOnly = ["devDependencies", "overrides", "scripts", "workspaces"];

/**
 * Returns what is published as a package's package.json: without the condition that selects its sources.
 *
 * @param {Manifest} manifest
 * @returns {Manifest}
 */
export function toPublished(manifest) {
  const published = { ...manifest };
  for (const field of checkoutOnly) Reflect.deleteProperty(published, field);
  if (published.exports !== undefined) published.exports = withoutSources(published.exports);
  if (published.imports !== undefined) published.imports = withoutSources(published.imports);
  return published;
}

/**
 * @param {unknown} value - of `exports` or `imports`
 * @returns {unknown}
 */
function withoutSources(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value)
    .filter(([condition]) => condition !== "keeplight-source")
    .map(([condition, target]) => [condition, withoutSources(target)]);
  return kept.length === 1 && kept[0]?.[0] === "default" ? kept[0][1] : Object.fromEntries(kept);
}

/**
 * Lists the files that `exports` and `imports` name.
 *
 * @param {Manifest} manifest
 * @returns {string[]} relative to the package
 */
export function listTargets(manifest) {
  /** @type {(value: unknown) => string[]} */
  const list = (value) =>
    typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap((target) => list(target));
  return [...new Set([...list(manifest.exports), ...list(manifest.imports)])];
}
