import type { DriveFile, DriveLink } from "@keeplight/drive";
import { useKit } from "@keeplight/react";
import { useDrive } from "@keeplight/react/drive";
import { useRef, useState } from "react";
import type { FileFacts } from "../file/file-facts.ts";
import type { KnownKey } from "../file/link-key.ts";
import { toArchiveName } from "../folder/archive-paths.ts";
import { type Action, useAction } from "../ui/use-action.ts";
import { getLinkAddress } from "./link-address.ts";

/** The file that a link is made to. */
export interface LinkTarget {
  cid: string;
  info: FileFacts | undefined;
  knownKey: KnownKey | undefined;
}

/** What its maker chooses. */
interface LinkChoice {
  password: string | undefined;
  endsAfterMs: number | undefined;
}

/** Creates links to a file that can be ended. */
interface CreateLink {
  action: Action;
  /** The latest one. */
  created: DriveLink | undefined;
  create(choice: LinkChoice): Promise<boolean>;
  /** After a failure: completes the link if it is listed already, or creates it again. */
  retry(): Promise<boolean>;
}

export function useCreateLink({ cid, info, knownKey }: LinkTarget): CreateLink {
  const kit = useKit();
  const { value: drive } = useDrive().state;
  const action = useAction();
  const [created, setCreated] = useState<DriveLink>();
  const latest = useRef<{ choice: LinkChoice; listed: ReadonlySet<string> }>(undefined);

  const findNew = () => drive?.listLinks().find((link) => link.cid === cid && !latest.current?.listed.has(link.id));

  /** The drive's own entry of the file. One that other clients have stored is added to it first. */
  async function findEntry(): Promise<DriveFile | undefined> {
    const known = drive?.search("").find((entry) => entry.type === "file" && entry.cid === cid);
    if (known?.type === "file") return known;
    const { commitment, chunkProfile } = knownKey ?? {};
    const { fileName = cid, size = 0 } = info ?? {};
    const file = { cid, name: toArchiveName(fileName), size: size >= 0 ? size : 0, commitment, chunkProfile };
    return (await drive?.adopt([file]))?.[0];
  }

  function create(choice: LinkChoice): Promise<boolean> {
    return action.run(async () => {
      setCreated(undefined);
      latest.current = { choice, listed: new Set(drive?.listLinks().map(({ id }) => id)) };
      const entry = await findEntry();
      if (!drive || !entry) return;
      setCreated(await drive.createLink(entry, { page: `${location.origin}${location.pathname}`, ...choice }));
    });
  }

  async function retry(): Promise<boolean> {
    const link = findNew();
    if (!link) return latest.current ? create(latest.current.choice) : false;
    const isDone = await action.run(() => kit.kavachShare(cid, { shareTo: getLinkAddress(link) }));
    if (isDone) setCreated(link);
    return isDone;
  }

  return { action, created, create, retry };
}
