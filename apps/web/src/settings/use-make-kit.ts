import type { KitFailure } from "@keeplight/recovery";
import type { ListedFile } from "keeplight";
import { useEffect, useRef, useState } from "react";
import { saveUrl } from "../file/save-to-disk.ts";
import { useSession } from "../session/session.ts";

/** How long the browser has to start the download, in milliseconds. */
const DOWNLOAD_MS = 60_000;

/** The state of a recovery kit that is made. */
export type KitState =
  | { status: "idle" }
  /** How many of `total` files were started. */
  | { status: "running"; done: number; total: number }
  /** How many `files` have their keys in it, and which have not. */
  | { status: "done"; files: number; failures: readonly KitFailure[] }
  | { status: "failed"; error: unknown };

/** Makes a recovery kit, and saves it by the browser's downloads. It ends with the screen. */
export function useMakeKit(): {
  state: KitState;
  /** Returns whether it is made. */
  make(files: readonly ListedFile[], name: string, passphrase: string): Promise<boolean>;
  abort(): void;
} {
  const { signer, network } = useSession();
  const [state, setState] = useState<KitState>({ status: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function make(files: readonly ListedFile[], name: string, passphrase: string): Promise<boolean> {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const total = files.length;
    /** The call reads the next file once it has finished an earlier one. */
    function* report(): Generator<ListedFile> {
      let done = 0;
      for (const file of files) {
        if (!signal.aborted) setState({ status: "running", done: done++, total });
        yield file;
      }
    }
    setState({ status: "running", done: 0, total });
    try {
      const { makeRecoveryKit } = await import("@keeplight/recovery");
      const { endpoints, pauseMs } = network;
      const account = { signer, endpoints, pauseMs };
      const made = await makeRecoveryKit(report(), { ...account, passphrase, as: "blob", signal });
      if (signal.aborted) return false;
      const url = URL.createObjectURL(made.kit);
      saveUrl(url, name);
      setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_MS);
      setState({ status: "done", files: made.files, failures: made.failures });
      return true;
    } catch (error) {
      if (running.current === controller) setState(signal.aborted ? { status: "idle" } : { status: "failed", error });
      return false;
    }
  }

  return { state, make, abort: () => running.current?.abort() };
}
