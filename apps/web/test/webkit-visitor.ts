import type { RunningApp } from "./app.ts";
import { type Role, setPicked, toFilesForPage, type Visitor } from "./visitor.ts";
import type { WebKitWindow } from "./webkit-driver.ts";

/** How long a visitor waits for something, in milliseconds. */
const PATIENCE_MS = 120_000;

/** The key of an element in W3C WebDriver. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** Enter in W3C WebDriver. */
const ENTER = "\uE007";

/** What a visitor looks for, as the page receives it. */
interface Search {
  kind: Role | "field" | "text";
  text: string;
  isPattern: boolean;
  within?: string;
}

/** Opens the app in a window. */
export async function visitInWebKit({ send }: WebKitWindow, app: RunningApp): Promise<Visitor> {
  const complaints: string[] = [];

  async function run<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    ...given: [Argument, ...unknown[]]
  ): Promise<Result> {
    const script = `const given = [...arguments]; const done = given.pop();
      Promise.resolve().then(() => (${work})(...given)).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const args = given.map((one) => one ?? null);
    const outcome = await send<{ value: Result; error?: string }>("POST", "/execute/async", { script, args });
    if (outcome.error !== undefined) throw new Error(outcome.error);
    return outcome.value;
  }

  async function waitFor(search: Search, isThere = true): Promise<string> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = (await run(find, search)) as unknown as Record<string, string> | null;
      if ((found !== null) === isThere) return found?.[ELEMENT] ?? "";
      if (performance.now() > until) {
        const shown = await run(() => document.body.innerText, undefined);
        throw new Error(`The page ${isThere ? "lacks" : "has"} ${search.kind} ${search.text}, but:\n${shown}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  const clickOn = async (search: Search) => {
    const element = await waitFor(search);
    await send("POST", `/element/${element}/click`, {});
  };
  const click: Visitor["click"] = (role, name) => clickOn(toSearch(role, name));
  const keepComplaints = async () => void complaints.push(...(await run(takeComplaints, undefined)));
  const load = async (work: () => Promise<unknown>) => {
    await keepComplaints();
    await work();
    await run(recordComplaints, undefined);
  };
  const open = (url: string) =>
    load(async () => {
      await send("POST", "/url", { url: "about:blank" });
      await send("POST", "/url", { url });
    });

  await open(app.url);
  return {
    open,
    reload: () => load(() => send("POST", "/refresh", {})),
    async connectFirstAccount() {
      await click("button", /Alice/);
      await waitFor(toSearch("button", "New folder"));
    },
    click,
    goTo: (place, name) => clickOn({ ...toSearch("link", name), within: `nav[aria-label="${place}"]` }),
    async type(label, text, enter) {
      const element = await waitFor(toSearch("field", label));
      await run((field) => (field as unknown as HTMLInputElement).select(), { [ELEMENT]: element });
      await send("POST", `/element/${element}/value`, { text: enter ? text + ENTER : text });
    },
    sees: async (text) => void (await waitFor(toSearch("text", text))),
    finds: async (role, name) => void (await waitFor(toSearch(role, name))),
    loses: async (role, name) => void (await waitFor(toSearch(role, name), false)),
    // Without the button: its dialog cannot be closed by the driver.
    async choose(button, files) {
      await waitFor(toSearch("button", button));
      const selector = `.drop-zone input[type=file]${button === "Add files" ? "[multiple]" : ":not([multiple])"}`;
      const input = await send<object>("POST", "/element", { using: "css selector", value: selector });
      await run(setPicked as (input: object) => void, input, toFilesForPage(files));
    },
    async copy(button) {
      await run(recordCopies, undefined);
      await click("button", button);
      return run(takeCopy, undefined);
    },
    run: (work, argument) => run(work, argument),
    async listComplaints() {
      await keepComplaints();
      return complaints;
    },
  };
}

const toSearch = (kind: Search["kind"], text: string | RegExp): Search =>
  typeof text === "string" ? { kind, text, isPattern: false } : { kind, text: text.source, isPattern: true };

/** Runs in the page: returns the first visible element that matches. Names are exact, texts are parts of texts. */
function find({ kind, text, isPattern, within }: Search): Element | null {
  const selectors: Record<Search["kind"], string> = {
    button: "button:enabled",
    dialog: "dialog, [role=dialog]",
    heading: "h1, h2, h3",
    img: "img, [role=img]",
    link: "a[href]",
    field: "input, textarea",
    text: "*",
  };
  const clean = (value: string | null | undefined) => (value ?? "").replace(/\s+/g, " ").trim();
  const getName = (element: Element) => {
    if (kind === "text") return clean(element.textContent);
    if (kind === "field") return clean((element as HTMLInputElement).labels?.[0]?.textContent);
    return clean(element.getAttribute("aria-label") ?? element.getAttribute("alt") ?? element.textContent);
  };
  const matches = (name: string) => {
    if (isPattern) return new RegExp(text).test(name);
    return kind === "text" ? name.includes(text) : name === text;
  };
  const root = (within === undefined ? undefined : document.querySelector(within)) ?? document.body;
  const all = Array.from(root.querySelectorAll(selectors[kind]));
  return all.find((element) => element.checkVisibility() && matches(getName(element))) ?? null;
}

type Watched = typeof globalThis & { complaints?: string[]; copied?: Promise<string> };

/** Runs in the page. */
function recordComplaints(): void {
  const complaints: string[] = [];
  (globalThis as Watched).complaints = complaints;
  addEventListener("error", ({ message, error }) => {
    // What is no exception, such as a resize that is observed a frame later, is none of the app's failures.
    if (error) complaints.push(message);
  });
  addEventListener("unhandledrejection", ({ reason }) => complaints.push(String(reason)));
}

/** Runs in the page. */
function takeComplaints(): string[] {
  return (globalThis as Watched).complaints?.splice(0) ?? [];
}

/** Runs in the page: keeps what is copied next, as the driver cannot allow the page to read the clipboard. */
function recordCopies(): void {
  const { clipboard } = navigator;
  (globalThis as Watched).copied = new Promise((resolve) => {
    clipboard.writeText = async (text) => {
      Reflect.deleteProperty(clipboard, "writeText");
      await clipboard.writeText(text);
      resolve(text);
    };
  });
}

/** Runs in the page. */
function takeCopy(): Promise<string> {
  return (globalThis as Watched).copied ?? Promise.reject(new Error("Nothing was copied"));
}
