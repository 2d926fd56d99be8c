import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunningApp } from "./app.ts";
import { pdf, recordVideo } from "./media.ts";
import type { Visitor } from "./visitor.ts";

/** The people of the story, once they have opened the app. */
export interface StoryPeople {
  app: RunningApp;
  alice: Visitor;
  bob: Visitor;
  /** Has no wallet. */
  dave: Visitor;
}

/** What an engine has that the story uses; without it, its test expects what the app does instead. */
export interface EngineTraits {
  /** Whether it records and plays WebM. */
  hasFilms: boolean;
  /** Whether it shows PDFs in pages. */
  showsPdfs: boolean;
  /** Returns what the browser has saved under a name, once that is complete; missing if the driver sees no downloads. */
  readDownload?(name: string): Promise<Uint8Array>;
}

const encoder = new TextEncoder();
const NOTE = "# Holiday\n\nIt rained. We stayed in and read.\n";
const PASSWORD = "four words by phone";
/** A picture of 3 × 2 pixels. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR42mPg9gqFIAY4CwAmMAP96oWz5wAAAABJRU5ErkJggg==",
  "base64",
);
/** More than pages keep in memory while they encrypt and decrypt. */
const large = { bytes: Buffer.from(Array.from({ length: 1024 * 1024 + 7 }, (_, at) => (at * 7) % 251)), times: 40 };

/** Adds the tests of the story that is the same in every engine. */
export function tellStory(people: StoryPeople, { hasFilms, showsPdfs, readDownload }: EngineTraits): void {
  let hasFailed = false;
  let noteLink = "";
  const bobsAddress = () => people.app.devnet.accounts[1]?.address ?? "";

  // Each test depends on the ones before.
  beforeEach(({ skip }) => skip(hasFailed, "an earlier step failed"));
  afterEach(({ task }) => {
    hasFailed ||= task.result?.state === "fail";
  });

  test("Alice connects a wallet, Bob an account of the devnet", async () => {
    const { alice, bob } = people;
    await alice.connectFirstAccount();
    await alice.finds("heading", "Files");
    await bob.click("button", /Bob/);
    await bob.finds("heading", "Files");
  });

  test("Alice uploads encrypted files and an encrypted folder, which she can open", async () => {
    const { alice } = people;
    await alice.choose("Add files", [
      { path: "notes.md", type: "text/markdown", bytes: encoder.encode(NOTE) },
      { path: "harbour.png", type: "image/png", bytes: picture },
      { path: "large.bin", type: "application/octet-stream", ...large },
    ]);
    await alice.sees("3 uploads complete");
    await alice.choose("Add folder", [
      { path: "Reise 旅行/readme.txt", type: "text/plain", bytes: encoder.encode("Photos of our holiday") },
      { path: "Reise 旅行/leer.txt", type: "text/plain", bytes: new Uint8Array() },
      { path: "Reise 旅行/tag 1/grüße 🌊.txt", type: "text/plain", bytes: encoder.encode("Hello from the sea") },
    ]);
    await alice.sees("4 uploads complete");
    await alice.sees("4 items");
    await alice.click("link", "harbour.png");
    await alice.finds("img", "harbour.png");
    const readWidth = async () => {
      const image = document.querySelector<HTMLImageElement>(".preview img");
      await image?.decode();
      return image?.naturalWidth;
    };
    expect(await alice.run(readWidth, undefined)).toBe(3);
    await alice.goTo("Screens", "Files");
    await alice.click("link", "Reise 旅行");
    await alice.sees("3 items");
    await alice.click("link", "tag 1");
    await alice.click("link", "grüße 🌊.txt");
    await alice.sees("Hello from the sea");
  });

  test("Bob is refused until Alice shares a file with him, and then reads and saves its bytes", async () => {
    const { alice, bob } = people;
    await alice.goTo("Screens", "Files");
    await alice.click("link", "notes.md");
    await alice.sees("It rained. We stayed in and read.");
    await alice.goTo("About this file", "People");
    noteLink = await alice.copy("Copy link");
    await bob.goTo("Screens", "Shared");
    await bob.type("Link or CID", noteLink, "enter");
    await bob.sees("You have no access to this file");
    await alice.type("Wallet address or contact", bobsAddress(), "enter");
    await alice.finds("button", `Revoke access of ${bobsAddress()}`);
    await bob.click("button", "Try again");
    await bob.sees("It rained. We stayed in and read.");
    expect(await bob.run(readOpened, undefined)).toEqual({ name: "notes.md", sha256: hash(encoder.encode(NOTE)) });
    if (!readDownload) return;
    await bob.click("link", "Download");
    expect(Buffer.from(await readDownload("notes.md")).toString()).toBe(NOTE);
  });

  test("Bob saves a file that is larger than pages keep in memory", async () => {
    const { alice, bob } = people;
    await alice.goTo("Screens", "Files");
    await alice.click("link", "large.bin");
    await alice.goTo("About this file", "People");
    const link = await alice.copy("Copy link");
    await alice.type("Wallet address or contact", bobsAddress(), "enter");
    await alice.finds("button", `Revoke access of ${bobsAddress()}`);
    await bob.open(link);
    await bob.click("button", "Download");
    await bob.sees(/^Key recovered from nodes/);
    const { sha256 } = await bob.run(readOpened, undefined);
    expect(sha256).toBe(hash(...Array<Uint8Array>(large.times).fill(large.bytes)));
    if (readDownload) expect(hash(await readDownload("large.bin"))).toBe(sha256);
  });

  test("once Alice revokes, Bob is refused again", async () => {
    const { alice, bob } = people;
    await alice.goTo("Screens", "Files");
    await alice.click("link", "notes.md");
    await alice.goTo("About this file", "People");
    await alice.click("button", `Revoke access of ${bobsAddress()}`);
    await alice.loses("button", `Revoke access of ${bobsAddress()}`);
    await bob.open(noteLink);
    await bob.sees("You have no access to this file");
  });

  test("somebody without a wallet opens a link by its password only, and nobody once it has ended", async () => {
    const { alice, dave } = people;
    await alice.type("Password (optional)", PASSWORD);
    await alice.click("button", "Create link");
    await alice.sees(/^Link created. Send the password another way/);
    const link = await alice.copy("Copy new link");
    await dave.open(link);
    await dave.type("Password", "some other words", "enter");
    await dave.sees(/^Wrong password/);
    await dave.type("Password", PASSWORD, "enter");
    await dave.sees("It rained. We stayed in and read.");
    expect(await dave.run(() => location.hash, undefined)).toBe("");
    await alice.click("button", /^End link to notes.md/);
    await alice.click("button", "End link");
    await alice.loses("button", /^End link to notes.md/);
    await dave.open(link);
    await dave.type("Password", PASSWORD, "enter");
    await dave.sees("This link was ended");
  });

  test("films and PDFs are shown while they are decrypted, or can be saved", async () => {
    const { alice } = people;
    expect(await alice.run(listFormats, undefined)).toEqual({ hasFilms, showsPdfs });
    await alice.goTo("Screens", "Files");
    const film = hasFilms ? Buffer.from(await alice.run(recordVideo, undefined), "base64") : Buffer.from("no film");
    await alice.choose("Add files", [
      { path: "film.webm", type: "video/webm", bytes: film },
      { path: "paper.pdf", type: "application/pdf", bytes: pdf },
    ]);
    await alice.sees("6 uploads complete");
    await alice.click("link", "film.webm");
    if (hasFilms) expect(await alice.run(playFilm, undefined)).toEqual([320, 180]);
    await alice.goTo("Screens", "Files");
    await alice.click("link", "paper.pdf");
    if (showsPdfs) expect(await alice.run(readPdf, undefined)).toBe(pdf.toString());
  });

  test("a reload asks for no signature, and nothing was reported as an error", async () => {
    const { alice, bob, dave } = people;
    await alice.reload();
    await alice.finds("button", "Lock");
    const complaints = await Promise.all([alice, bob, dave].map((person) => person.listComplaints()));
    expect(complaints.flat()).toEqual([]);
  });
}

const hash = (...parts: readonly Uint8Array[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

/** Runs in the page: returns what the link saves by which the page offers the opened file. */
async function readOpened(): Promise<{ name: string; sha256: string }> {
  const link = document.querySelector<HTMLAnchorElement>("a[download]");
  const bytes = await (await fetch(link?.href ?? "")).arrayBuffer();
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return {
    name: link?.download ?? "",
    sha256: Array.from(sha256, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  };
}

/** Runs in the page. */
function listFormats(): { hasFilms: boolean; showsPdfs: boolean } {
  const hasFilms = typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");
  return { hasFilms, showsPdfs: navigator.pdfViewerEnabled };
}

/** Runs in the page: plays the film of the page, and returns its width and height. */
async function playFilm(): Promise<number[]> {
  let video: HTMLVideoElement | null = null;
  while (!video) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    video = document.querySelector("video");
  }
  video.muted = true;
  await video.play();
  return [video.videoWidth, video.videoHeight];
}

/** Runs in the page: returns what the frame of the page has loaded. */
async function readPdf(): Promise<string> {
  let frame: HTMLIFrameElement | null = null;
  while (!frame) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    frame = document.querySelector("iframe");
  }
  return (await fetch(frame.src)).text();
}
