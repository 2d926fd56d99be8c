import { Wallet } from "ethers";
import { type ReactElement, StrictMode, useEffect } from "react";
import { inject } from "vitest";
import { render } from "vitest-browser-react";
import { type Kit, type KitDefaults, openJournal, type Signer } from "../../../../src/index.ts";
import { openSession } from "../../../drive/src/index.ts";
import { DriveProvider, type UseSession, useSession } from "../../src/drive/index.ts";
import { KitProvider, useKit, type WalletState } from "../../src/index.ts";
import { newAccount, type Rendered } from "../rig.tsx";

const { endpoints } = inject("devnet");

/** What a test has rendered, and not unmounted itself. */
const trees = new Set<() => Promise<void>>();

/** Unmounts what a test has rendered, and removes the session, which all tests of a page share. */
export async function cleanUp(): Promise<void> {
  for (const unmount of trees) await unmount();
  const session = await openSession({ endpoints });
  await session.signOut({ discard: true });
  session.close();
}

/** Renders a tree under StrictMode, and renders it again with other properties. */
export async function renderTree<Props>(create: (props: Props) => ReactElement, first: Props) {
  const screen = await render(<StrictMode>{create(first)}</StrictMode>);
  const unmount = async () => {
    if (trees.delete(unmount)) await screen.unmount();
  };
  trees.add(unmount);
  return {
    show: async (next: Props) => void (await screen.rerender(<StrictMode>{create(next)}</StrictMode>)),
    unmount,
  };
}

/** A wallet that counts what it signs, connected as `useWallet` shows it. */
export function createWallet(refuses = () => false) {
  const wallet = Wallet.createRandom();
  let signatures = 0;
  const signer: Signer = {
    getAddress: async () => wallet.address,
    async signMessage(message) {
      if (refuses()) throw new Error("no");
      signatures++;
      return wallet.signMessage(message);
    },
  };
  const choice = { id: "test", name: "Test", provider: { request: async () => [] } };
  const connected: WalletState = { status: "connected", wallet: choice, address: wallet.address, chainId: 1, signer };
  return { address: wallet.address.toLowerCase(), signer, connected, count: () => signatures };
}

/**
 * Opens the site as a page does: what is signed in is below a provider with the session's options.
 *
 * @param defaults - more of them
 */
export async function openPage(wallet?: WalletState, defaults?: { pauseMs: number }) {
  const all: UseSession[] = [];
  const kits: Kit[] = [];
  let mounted = 0;
  function Inside(): ReactElement {
    kits.push(useKit());
    useEffect(() => {
      mounted++;
      return () => {
        mounted--;
      };
    }, []);
    return <p>inside</p>;
  }
  function Page({ wallet: connected }: { wallet: WalletState | undefined }): ReactElement {
    const session = useSession({ endpoints, wallet: connected });
    all.push(session);
    const { state } = session;
    if (state.status !== "signed-in") return <p>{state.status}</p>;
    return (
      <KitProvider options={defaults ? { ...state.options, ...defaults } : state.options}>
        <Inside />
      </KitProvider>
    );
  }
  const tree = await renderTree<WalletState | undefined>((connected) => <Page wallet={connected} />, wallet);
  return {
    all,
    kits,
    get now() {
      return all.at(-1) as UseSession;
    },
    get kit() {
      return kits.at(-1) as Kit;
    },
    countMounted: () => mounted,
    connect: tree.show,
    unmount: tree.unmount,
  };
}

/** A new account with a journal of its own. */
export async function newOwner() {
  return { ...(await newAccount()), journal: await openJournal({ name: crypto.randomUUID() }) };
}

/**
 * Renders a hook below a provider of the drive.
 *
 * @param besides - what else is below it
 */
export async function renderInDrive<Value>(
  use: () => Value,
  options: KitDefaults,
  besides?: ReactElement,
): Promise<Rendered<Value>> {
  const all: Value[] = [];
  function Probe(): ReactElement {
    all.push(use());
    return <p>rendered</p>;
  }
  const { show, unmount } = await renderTree<KitDefaults>(
    (given) => (
      <KitProvider options={given}>
        <DriveProvider>
          <Probe />
          {besides}
        </DriveProvider>
      </KitProvider>
    ),
    options,
  );
  return {
    get now() {
      return all.at(-1) as Value;
    },
    all,
    unmount,
    provide: show,
  };
}
