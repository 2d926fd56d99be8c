import { randomBytes } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { kavachGetAccessConditions } from "../../../src/index.ts";
import { writeTree } from "../../../test/support/files.ts";
import { finish, type Person, parseEvents, rigForTests } from "./rig.ts";

// Commands are interrupted at random moments of their run: by Ctrl-C once and twice, and by SIGTERM.

const MOMENTS = Number(process.env["KEEPLIGHT_MOMENTS"] ?? 6);
const PASSWORD = "correct horse";
/** So that most of the run is work, not the start of the process. */
const slowly = { KEEPLIGHT_PAUSE_MS: "80", KEEPLIGHT_PASSWORD: PASSWORD };
const interruptions = [["SIGINT"], ["SIGINT", "SIGINT"], ["SIGTERM"]] as const;
const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

const rig = rigForTests({ chain: true });

/** One interrupted command. */
interface Scene {
  args: readonly string[];
  /** Checks that what the command changes is there as a whole, or not at all; `isDone` requires the former. */
  check(isDone: boolean): Promise<void>;
}

interface World {
  person: Person;
  large: { cid: string; content: string };
  listFiles(): Promise<string[]>;
}

type CreateScene = (world: World) => Promise<Scene>;

async function upload({ person }: World, name: string, content: string, ...flags: string[]): Promise<string> {
  await writeTree(person.cwd, { [name]: content });
  const { stdout } = await person.run(["up", name, "-q", ...flags]);
  await rm(join(person.cwd, name));
  return stdout.trim();
}

const createId = () => randomBytes(6).toString("hex");

const fetchCommand =
  (...command: string[]): CreateScene =>
  async ({ person, large }) => {
    const name = `${createId()}.out`;
    return {
      args: [...command, large.cid, "-o", name],
      async check(isDone) {
        const isThere = (await readdir(person.cwd)).includes(name);
        if (isThere && command[0] === "decrypt")
          expect(await readFile(join(person.cwd, name), "utf8")).toBe(large.content);
        // As it is stored: salt, iv, ciphertext and tag.
        if (isThere && command[0] === "get")
          expect((await readFile(join(person.cwd, name))).length).toBe(large.content.length + 44);
        if (isDone) expect(isThere).toBe(true);
        await rm(join(person.cwd, name), { force: true });
      },
    };
  };

async function readSharedTo(cid: string): Promise<string[]> {
  const { sharedTo } = await kavachGetAccessConditions(cid, { endpoints: rig().devnet.endpoints });
  return sharedTo.map((address) => address.toLowerCase());
}

const scenes: Readonly<Record<string, CreateScene>> = {
  async up(world) {
    const { person } = world;
    const id = createId();
    await writeTree(person.cwd, { [`${id}.txt`]: id.repeat(100_000) });
    return {
      args: ["up", "-e", `${id}.txt`],
      async check(isDone) {
        await rm(join(person.cwd, `${id}.txt`));
        const items = (await person.events(["ls"])).filter(
          ({ event, path }) => event === "item" && path === `${id}.txt`,
        );
        if (isDone) expect(items).toHaveLength(1);
        // Stored, but nothing was left to complete: it has its key.
        for (const { cid } of items) {
          const { stdout } = await person.run(["decrypt", String(cid), "-o", "-"]);
          expect(stdout === id.repeat(100_000)).toBe(true);
        }
      },
    };
  },
  get: fetchCommand("get"),
  decrypt: fetchCommand("decrypt"),
  async share(world) {
    const cid = await upload(world, createId(), createId(), "-e");
    const friend = Wallet.createRandom().address.toLowerCase();
    return {
      args: ["share", cid, friend],
      check: async (isDone) => void (isDone && expect(await readSharedTo(cid)).toEqual([friend])),
    };
  },
  async revoke(world) {
    const friend = Wallet.createRandom().address.toLowerCase();
    const cid = await upload(world, createId(), createId(), "-e", "--share-to", friend);
    return {
      args: ["revoke", cid, friend],
      check: async (isDone) => void (isDone && expect(await readSharedTo(cid)).toEqual([])),
    };
  },
  async pin(world) {
    const cid = await upload(world, createId(), createId());
    // Pinning the same content twice is no error.
    const check = async () => expect((await world.person.run(["pin", cid])).code).toBe(0);
    return { args: ["pin", cid], check };
  },
  async pay({ person }) {
    const args = [
      "pay",
      "--amount",
      "1000",
      "--token",
      "native",
      "--network",
      "devnet",
      "--order",
      createId(),
      "--yes",
    ];
    const before = await readPaid();
    return {
      args,
      async check() {
        // Regardless of what the interrupted one has done, the order is paid once.
        expect((await person.run(args)).code).toBe(0);
        expect((await readPaid()) - before).toBe(1000n);
      },
    };
  },
  async "kit make"(world) {
    const cid = await upload(world, createId(), createId(), "-e");
    const name = `${createId()}.age`;
    const { person } = world;
    return {
      args: ["kit", "make", name, cid],
      async check(isDone) {
        const isThere = (await readdir(person.cwd)).includes(name);
        if (isDone) expect(isThere).toBe(true);
        if (isThere) {
          const opened = await person.run(["kit", "open", name, "-q"], { env: { KEEPLIGHT_PASSWORD: PASSWORD } });
          expect(opened).toMatchObject({ code: 0, stdout: expect.stringContaining(cid) });
        }
        await rm(join(person.cwd, name), { force: true });
      },
    };
  },
};

/** The contract's balance in the native coin: the sum of all native payments so far. */
async function readPaid(): Promise<bigint> {
  const { rpc = "", network } = rig().devnet.chain ?? {};
  const params = [network?.contract, "latest"];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params });
  const response = await fetch(rpc, { method: "POST", body, headers: { "content-type": "application/json" } });
  return BigInt(((await response.json()) as { result: string }).result);
}

/** Runs the command of a scene and interrupts it after `delayMs`. Returns its exit code, and how long it ran. */
async function interrupt(person: Person, { args }: Scene, signals: readonly NodeJS.Signals[], delayMs: number) {
  const startedAt = performance.now();
  const child = person.start([...args, "--json"], { env: slowly });
  const ended = finish(child);
  await Promise.race([setTimeout(delayMs), ended]);
  for (const signal of signals) child.kill(signal);
  const { code, stdout, stderr } = await ended;
  return { code, signal: child.signalCode, stdout, stderr, ranMs: performance.now() - startedAt };
}

/** Completes what is open. Payments are completed by their ids only. */
async function resumeAll(person: Person): Promise<void> {
  for (const { event, id } of await person.events(["resume", "--list"])) {
    if (event !== "item") continue;
    const { code, stdout } = await person.run(["resume", String(id), "--json"]);
    expect({ code, stdout }).toMatchObject({ code: 0 });
  }
  expect((await person.events(["resume", "--list"])).at(-1)).toMatchObject({ open: 0 });
}

test(`${MOMENTS} commands that are interrupted leave an entry in the journal or nothing`, async () => {
  const person = await rig().createPerson();
  const listFiles = () => readdir(person.cwd);
  const world: World = { person, large: { cid: "", content: "0123456789abcdef".repeat(1_000_000) }, listFiles };
  world.large.cid = await upload(world, "large.txt", world.large.content, "-e");
  const names = Object.keys(scenes);
  const durations = new Map<string, number>();
  const seen = { interrupted: 0, resumable: 0, done: 0, early: 0 };
  for (let moment = 0; moment < MOMENTS; moment++) {
    const name = names[moment % names.length] ?? "";
    const create = scenes[name] as CreateScene;
    if (!durations.has(name)) {
      const whole = await create(world);
      const { code, ranMs, stderr } = await interrupt(person, whole, [], 600_000);
      expect({ name, code, stderr }).toMatchObject({ name, code: 0 });
      await whole.check(true);
      durations.set(name, ranMs);
    }
    const scene = await create(world);
    const signals = interruptions[Math.floor(moment / names.length + moment) % interruptions.length] ?? ["SIGINT"];
    const delayMs = Math.random() * (durations.get(name) ?? 0);
    const about = `${name}, ${signals.join(" ")} after ${delayMs.toFixed(0)} ms`;
    const end = await interrupt(person, scene, signals, delayMs);
    const [signal] = signals;
    const last = parseEvents(end.stdout.slice(0, end.stdout.lastIndexOf("\n") + 1)).at(-1);
    const isDone = last?.event === "result";
    // Before the program starts to listen, and after it has ended its work, the system ends it.
    const isUnheard = end.code === null && end.signal === signal && (end.stdout === "" || isDone);
    const expected = isUnheard ? null : isDone ? 0 : EXIT_BY_SIGNAL[signal];
    expect(end.code, `${about}\n${end.stdout}\n${end.stderr}`).toBe(expected);
    if (end.code === EXIT_BY_SIGNAL[signal] && signals.length === 1) {
      expect(last, about).toMatchObject({ event: "error", code: "ABORTED", exitCode: end.code });
    }
    const isOpen = (await person.events(["resume", "--list"])).at(-1)?.["open"] !== 0;
    // After one Ctrl-C it prints how to continue.
    if (isOpen && signals.length === 1) expect(last?.["resume"], about).toMatch(/^keeplight resume [0-9a-f]{32}$/);
    const hidden = (await listFiles()).filter((file) => file.startsWith("."));
    expect(hidden, about).toEqual([]);
    await resumeAll(person);
    await scene.check(isDone || isOpen).catch((error: Error) => {
      throw new Error(`${about}: ${error.message}`);
    });
    seen[isDone ? "done" : isUnheard ? "early" : isOpen ? "resumable" : "interrupted"] += 1;
  }
  console.log(seen);
}, 3_600_000);
