import type { Invocation } from "../frame/invocation.ts";

/** Tells whether a file of a tree is chosen, by its path in it, names separated by `/`; that of a folder ends with `/`. */
export type Filter = (path: string) => boolean;

/**
 * Creates the filter of a walk through folders: like that of {@link createFilter}, but it enters all folders that are not
 * excluded, as files in them may be included.
 */
export async function createWalkFilter(invocation: Invocation, ignored = ""): Promise<Filter | undefined> {
  const isChosen = await createFilter(invocation, ignored);
  const { isExcluded } = await createIgnore(invocation, ignored);
  return isChosen && ((path) => (path.endsWith("/") ? !isExcluded(path) : isChosen(path)));
}

/**
 * Creates the filter of `--include`, `--exclude`, and further patterns to exclude: all in the syntax of .gitignore. `undefined` if
 * there are none.
 */
export async function createFilter(invocation: Invocation, ignored = ""): Promise<Filter | undefined> {
  const [included, excluded] = [invocation.options("include"), invocation.options("exclude")];
  if (included.length + excluded.length === 0 && ignored === "") return undefined;
  const { isIncluded, isExcluded } = await createIgnore(invocation, ignored);
  return (path) => isIncluded(path) && !isExcluded(path);
}

async function createIgnore({ options }: Invocation, ignored: string) {
  const { default: ignore } = await import("ignore");
  const create = () => ignore({ ignorecase: false, allowRelativePaths: true });
  const included = options("include").map(normalize);
  const inside = create().add(included);
  const outside = create().add(normalize(ignored)).add(options("exclude").map(normalize));
  return {
    isIncluded: (path: string) => included.length === 0 || inside.ignores(normalize(path)),
    isExcluded: (path: string) => outside.ignores(normalize(path)),
  };
}

/** macOS and others write the same name in two forms of Unicode. */
const normalize = (text: string) => text.normalize("NFC");
