import { readFileSync } from "node:fs";
import { openJournal } from "../../src/index.ts";

// Opens a journal with the keyring of the system, in a process of its own.
const [folder = "", action = "", id = ""] = process.argv.slice(2);
const calls: Record<string, () => Promise<unknown>> = {
  add: async () => (await openJournal({ folder })).addSlot({ keyring: true }),
  open: async () => (await openJournal({ folder, unlock: { keyring: true } })).slots(),
  secrets: async () => JSON.parse(readFileSync(process.env["FAKE_KEYRING"] ?? "", "utf8")),
  description: async () => JSON.parse(readFileSync(`${folder}/journal.json`, "utf8")),
  remove: async () => (await openJournal({ folder })).removeSlot(id),
};
const result = await calls[action]?.().catch(({ code, message }) => ({ code, message }));
console.log(JSON.stringify(result ?? null));
