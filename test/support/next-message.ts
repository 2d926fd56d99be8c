import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Waits for the next message of a child process; rejects if it exits without one. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const exited = new AbortController();
  const onExit = () => exited.abort(new Error("the process exited"));
  child.once("exit", onExit);
  try {
    const [message] = await once(child, "message", { signal: exited.signal });
    return message as Message;
  } finally {
    child.off("exit", onExit);
  }
}
