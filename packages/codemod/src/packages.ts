/** The packages whose calls are rewritten. */
type PackageName = "lighthouse" | "kavach";

/** What a module of the incumbent, or of the drop-in, is to this command. */
export interface KnownModule {
  package: PackageName;
  /** `calls`: the package itself. `config`: where requests are sent. `types`: types only. */
  role: "calls" | "config" | "types";
  /** The drop-in's module; undefined if there is none that can be imported in its place. */
  dropIn: string | undefined;
}

const dropIns: Readonly<Record<PackageName, string>> = {
  lighthouse: "@keeplight/lighthouse-sdk",
  kavach: "@keeplight/kavach",
};

/** Returns what a module is; undefined if it is neither the incumbent's nor the drop-in's. */
export function findModule(specifier: string): KnownModule | undefined {
  const own = /^@keeplight\/(lighthouse-sdk|kavach)(\/config)?$/.exec(specifier);
  const [, sdkOrKavach, path = ""] = own ?? /^@lighthouse-web3\/(sdk|kavach)(\/.*)?$/.exec(specifier) ?? [];
  if (sdkOrKavach === undefined) return undefined;
  const name: PackageName = sdkOrKavach === "kavach" ? "kavach" : "lighthouse";
  if (own) return { package: name, role: path === "" ? "calls" : "config", dropIn: specifier };
  const dropIn = dropIns[name];
  if (path === "") return { package: name, role: "calls", dropIn };
  if (/^\/dist\/types(\.js|\/index|\/index\.js)?$/.test(path)) return { package: name, role: "types", dropIn };
  const isConfig = name === "lighthouse" ? /^\/dist\/lighthouse\.config(\.js)?$/ : /^\/dist\/config(\/.*)?$/;
  if (!isConfig.test(path)) return { package: name, role: "types", dropIn: undefined };
  // `index.js` of an older kind of module, imported as such, has one more `default`.
  return { package: name, role: "config", dropIn: path.includes("index.js") ? undefined : `${dropIn}/config` };
}

/** Whether a text may concern this command at all. */
export function mentionsPackages(text: string): boolean {
  return /@lighthouse-web3\/(sdk|kavach)|@keeplight\/(lighthouse-sdk|kavach)/.test(text);
}
