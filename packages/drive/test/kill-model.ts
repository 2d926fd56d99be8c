import type { PageEvent } from "./page-code.ts";

/** What a drive has to have, by the calls that a page made before it was killed. */
export function createModel() {
  /** Files that have to be there, by the name that they were added with: where each may be. */
  const files = new Map<string, { paths: string[]; isShared: boolean }>();
  /** Files whose upload did not end: where each is, if it is there. */
  const pending = new Map<string, string>();
  const join = (folder: string, name = "") => `${folder}/${name}`;
  const nameOf = (path: string) => path.split("/").at(-1);
  const folderOf = (path: string) => path.split("/").slice(0, -1).join("/");

  function record({ call, phase, outcome }: PageEvent): void {
    if (phase === "failed") throw new Error(`${JSON.stringify(call)} failed: ${outcome}`);
    const isDone = phase === "done";
    if (call.do === "add") {
      const paths = call.names.map((name) => join(call.folder, name));
      if (isDone && [...(outcome ?? [])].sort().join() !== [...paths].sort().join())
        throw new Error(`${JSON.stringify(call)} returned ${JSON.stringify(outcome)}`);
      for (const [at, name] of call.names.entries()) {
        const path = paths[at] ?? "";
        if (!isDone) pending.set(name, path);
        else {
          pending.delete(name);
          files.set(name, { paths: [path], isShared: false });
        }
      }
      return;
    }
    const file = [...files.values()].find(({ paths }) => paths[0] === call.path);
    if (!file) throw new Error(`No file is at ${call.path}`);
    if (call.do === "share") {
      if (isDone) file.isShared = true;
      return;
    }
    const moved = call.do === "move" ? join(call.folder, nameOf(call.path)) : join(folderOf(call.path), call.name);
    file.paths = isDone ? [moved] : [...new Set([call.path, moved])];
  }

  return {
    record,
    pending: () => [...pending.keys()],
    /** Where files are, for sure. */
    paths: () => [...files.values()].flatMap(({ paths }) => paths),
    /** Files that have to be there, and where each may be. */
    files: (): ReadonlyMap<string, { paths: readonly string[]; isShared: boolean }> => files,
    /** Returns what is wrong with these paths of a drive. */
    findProblems(listed: readonly string[]): string[] {
      const left = [...listed];
      const take = (path: string) => {
        const at = left.indexOf(path);
        if (at >= 0) left.splice(at, 1);
        return at >= 0;
      };
      const problems: string[] = [];
      for (const [name, { paths }] of files)
        if (!paths.some(take)) problems.push(`${name} is not at ${paths.join(" or ")}`);
      for (const path of pending.values()) take(path);
      return [...problems, ...left.map((path) => `${path} is there too`)];
    },
    /** From now on, files are where they are listed. Returns how many of those whose upload did not end are there. */
    settle(listed: readonly string[]): number {
      for (const file of files.values()) file.paths = file.paths.filter((path) => listed.includes(path));
      const found = [...pending].filter(([, path]) => listed.includes(path));
      for (const [name, path] of found) files.set(name, { paths: [path], isShared: false });
      pending.clear();
      return found.length;
    },
  };
}
