import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { type TestChain, withRpc } from "../chain-tools.ts";
import type { RpcCall, RpcProxy } from "../rpc-proxy.ts";
import { NodeError } from "../rpc-proxy.ts";
import { AMOUNT, createAttack, FINALITY, mine, reorganise, type Told } from "./attack-rig.ts";
import { lags } from "./lags.ts";
import type { PayServer } from "./pay-servers.ts";
import { walletErrors } from "./wallet-errors.ts";

/** What happens to the journal before a session: `copied` keeps both in use at once, where that can be survived. */
const journalFates = ["kept", "kept", "lost", "copied", "rolled back", "none"] as const;

interface Call {
  order: number;
  /** Milliseconds after which its process is killed or its call aborted. */
  ends?: { by: "kill" | "abort"; afterMs: number } | undefined;
}

interface Session {
  journal: (typeof journalFates)[number];
  calls: Call[];
  lag: (typeof lags)[number] | undefined;
  /** After so many blocks the latest ones are reverted. */
  reorganised: { after: number; depth: number } | undefined;
}

/** Some orders of one payer, called in sessions; in each of them something goes wrong. */
export interface Plan {
  token: PaymentToken;
  isWallet: boolean;
  orders: number;
  sessions: Session[];
}

/** Plans a run. What nobody can survive is left out: two processes that know nothing of each other's open windows or coins. */
export function planRun(random: () => number): Plan {
  const choose = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const token = choose(["usdc", "usdc", "native"] as const);
  const isWallet = random() < 0.4;
  const orders = random() < 0.3 ? 2 : 1;
  const sessions = Array.from({ length: 1 + Math.floor(random() * 3) }, (): Session => {
    const journal = choose(journalFates);
    const isForgotten = journal === "lost" || journal === "none" || journal === "rolled back";
    const isAlone = journal === "none" && (isWallet || token === "native");
    const count = isAlone ? orders : orders + Math.floor(random() * 3);
    const calls = Array.from({ length: Math.min(count, 3) }, (_, at): Call => {
      const by = choose(["kill", "kill", "abort", undefined] as const);
      return { order: at % orders, ends: by && { by, afterMs: Math.floor(random() * 250) } };
    });
    const lag = random() < 0.3 && !(isForgotten && isWallet) ? choose(lags) : undefined;
    const depth = 1 + Math.floor(random() * 3);
    return {
      journal,
      calls,
      lag,
      // What a wallet sent is not put back, as its bytes are not known here.
      reorganised:
        random() < 0.3 && !(isForgotten && isWallet) ? { after: 2 + Math.floor(random() * 10), depth } : undefined,
    };
  });
  return { token, isWallet, orders, sessions };
}

/** What carries out the runs. */
export interface Stage {
  tools: TestChain;
  node: RpcProxy;
  wallet: RpcProxy;
  /** A living process, by number. */
  server(at: number): Promise<PayServer>;
  random(): number;
}

/** Carries out a run, and then calls its orders calmly until they are paid or only a person can decide. */
export async function carryOutRun(stage: Stage, { token, isWallet, orders, sessions }: Plan) {
  const { tools, node, wallet, random } = stage;
  const attack = await createAttack(tools, token);
  await tools.rpc("evm_setAutomine", false);
  const orderIds = Array.from({ length: orders }, (_, at) => attack.orderId(at));
  const root = await mkdtemp(join(tmpdir(), "keeplight-runs-"));
  let folders = 0;
  const newFolder = () => join(root, String(++folders));
  const told: Told[] = [];
  let inFlight = 0;
  let lag: Session["lag"];
  let isCalm = false;

  const respond = async (call: RpcCall): Promise<unknown> => {
    inFlight += 1;
    try {
      return await (lag ? lag[1](call, tools.chain.rpc) : call.forward());
    } finally {
      inFlight -= 1;
    }
  };
  /** Sends, or not; then answers, or throws; sooner or later. */
  const prompt = async (call: RpcCall): Promise<unknown> => {
    if (isCalm || random() < 0.3) return call.forward();
    inFlight += 1;
    try {
      if (random() < 0.3) await sleep(random() * 200);
      const error = walletErrors[Math.floor(random() * walletErrors.length)]?.create() as { code?: number };
      const moment = random();
      if (moment < 0.4) await call.forward();
      if (moment > 0.8) void call.forward().catch(() => undefined);
      const code = (() => {
        try {
          return typeof error.code === "number" ? error.code : undefined;
        } catch {
          return undefined;
        }
      })();
      throw new NodeError(code ?? -32_603, "the wallet failed");
    } finally {
      inFlight -= 1;
    }
  };
  node.handle(respond);
  wallet.handle((call) => (call.method === "eth_sendTransaction" ? prompt(call) : respond(call)));

  const pay = async (at: number, { order, ends }: Call, folder: string | undefined, waitMs: number) => {
    const orderId = orderIds[order] ?? "";
    const own = isWallet
      ? { walletUrl: wallet.url, address: attack.payer.address }
      : { privateKey: attack.payer.privateKey };
    const network = withRpc(tools.network, node.url);
    const server = await stage.server(at);
    const abortAfterMs = ends?.by === "abort" ? ends.afterMs : undefined;
    const timer = ends?.by === "kill" ? setTimeout(() => void server.kill(), ends.afterMs) : undefined;
    // Not reported before the deepest reorganisation can no longer undo it.
    const options = { network, token, amount: AMOUNT, orderId, folder, abortAfterMs, waitMs, confirmations: 4, ...own };
    const { hash, code } = await server.pay(options);
    clearTimeout(timer);
    told.push({ orderId, hash, code });
    return { hash, code };
  };

  async function whileChanging<T>(running: Promise<T>, reorganised?: Session["reorganised"]): Promise<T> {
    let isOver = false;
    const ended = running.finally(() => {
      isOver = true;
    });
    for (let block = 0; !isOver; block++) {
      await mine(tools, 1);
      if (block === reorganised?.after) await reorganise(tools, reorganised.depth);
      await Promise.race([ended.catch(() => undefined), sleep(5 + random() * 15)]);
    }
    return ended;
  }

  let folder = newFolder();
  let before: string | undefined;
  try {
    for (const session of sessions) {
      lag = session.lag;
      const snapshot = newFolder();
      const copy = async (from: string, to: string) => cp(from, to, { recursive: true }).catch(() => undefined);
      await copy(folder, snapshot);
      if (session.journal === "lost") folder = newFolder();
      if (session.journal === "rolled back" && before !== undefined) {
        folder = newFolder();
        await copy(before, folder);
      }
      before = snapshot;
      const isShared = session.journal === "copied" && !isWallet && token !== "native";
      const other = isShared ? snapshot : folder;
      const used = (at: number) => (session.journal === "none" ? undefined : at % 2 === 0 ? folder : other);
      const paying = Promise.all(session.calls.map((call, at) => pay(at, call, used(at), 1_500)));
      await whileChanging(paying, session.reorganised);
      // What a killed process was sending arrives before the next session, or never.
      while (inFlight > 0) await whileChanging(sleep(10));
    }
    lag = undefined;
    isCalm = true;
    for (let tries = 0; tries < 5; tries++) {
      await mine(tools, FINALITY + 1);
      const ends = [];
      for (const [order] of orderIds.entries()) ends.push(await whileChanging(pay(order, { order }, folder, 60_000)));
      if (ends.every(({ hash }) => hash !== undefined)) break;
    }
    // Its earlier reports may be contradicted, its last one not.
    return { attack, told, orderIds, ends: orderIds.map((id) => told.findLast(({ orderId }) => orderId === id)) };
  } finally {
    node.handle();
    wallet.handle();
    await rm(root, { recursive: true, force: true });
  }
}
