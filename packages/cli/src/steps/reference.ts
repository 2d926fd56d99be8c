/** What is on the network: a content id, and what is below it. */
export interface Reference {
  cid: string;
  /** Names separated by slashes; empty for the content id itself. */
  path: string;
}

/** Reads `<cid>`, `<cid>/path` or `ipfs://<cid>/path`, which is percent-encoded. Throws `INVALID_CID`. */
export async function readReference(typed: string): Promise<Reference> {
  const { checkCid } = await import("keeplight/parts");
  const [, below] = /^ipfs:\/\/(.*)$/is.exec(typed) ?? [];
  const [cid = "", ...names] = (below ?? typed).split("/");
  const path = names.filter((name) => name !== "").map((name) => (below === undefined ? name : decode(name)));
  return { cid: checkCid(cid), path: path.join("/") };
}

/** Whether what was typed starts with a content id. */
export async function isReference(typed: string): Promise<boolean> {
  return readReference(typed).then(
    () => true,
    () => false,
  );
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
