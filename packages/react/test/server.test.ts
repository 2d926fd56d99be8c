import { readFile } from "node:fs/promises";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createElement, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import * as client from "../src/client.ts";
import * as driveClient from "../src/drive/client.ts";
import * as drive from "../src/drive/index.ts";
import * as index from "../src/index.ts";
import {
  KitProvider,
  useBalance,
  useDecrypt,
  useDownload,
  useFiles,
  useKit,
  useKitQueries,
  useMediaUrl,
  usePayment,
  useUpload,
  useUploadEncrypted,
  useUploadEntry,
  useWallet,
} from "../src/index.ts";

test("a server renders every hook in its initial state, and sends nothing", () => {
  const endpoints = Object.fromEntries(
    ["api", "upload", "gateway", "keyNodes"].map((name) => [name, "http://127.0.0.1:1"]),
  );
  function Everything(): ReactElement {
    const kit = useKit();
    const states = {
      kit: typeof kit.upload,
      balance: useBalance().status,
      files: useFiles().status,
      decrypt: useDecrypt().state.status,
      download: useDownload().state.status,
      media: useMediaUrl("bafkqaaa").url ?? "none",
      upload: useUpload().uploads.length,
      uploadEncrypted: useUploadEncrypted().total.fraction,
      payment: usePayment().state.status,
      wallet: useWallet().state.status,
      wallets: useWallet().wallets.length,
      entry: typeof useUploadEntry("1"),
      file: useQuery(useKitQueries().file("bafkqaaa")).status,
      share: useMutation(useKitQueries().share()).status,
      session: drive.useSession({ endpoints, wallet: useWallet().state }).state.status,
      drive: [drive.useDrive(), drive.useFolder("Photos")].map(({ state }) => state.status),
    };
    return createElement("p", null, JSON.stringify(states));
  }
  const html = renderToString(
    createElement(
      KitProvider,
      { options: { apiKey: "key", endpoints } },
      createElement(drive.DriveProvider, null, createElement(Everything)),
    ),
  );
  expect(html.replaceAll("&quot;", '"')).toBe(
    '<p>{"kit":"function","balance":"pending","files":"pending","decrypt":"idle","download":"idle","media":"none","upload":0,' +
      '"uploadEncrypted":0,"payment":"idle","wallet":"disconnected","wallets":0,"entry":"undefined",' +
      '"file":"pending","share":"idle","session":"loading","drive":["loading","loading"]}</p>',
  );
});

test("a hook without a provider throws an error that names it", () => {
  function Alone(): ReactElement {
    useKit();
    return createElement("p");
  }
  expect(() => renderToString(createElement(Alone))).toThrow("below a <KitProvider> only");
  function WithoutDrive(): ReactElement {
    drive.useFolder();
    return createElement("p");
  }
  const tree = createElement(KitProvider, null, createElement(WithoutDrive));
  expect(() => renderToString(tree)).toThrow("below a <DriveProvider> only");
});

test.each([
  ["client.ts", client, index],
  ["drive/client.ts", driveClient, drive],
])("server components import the same names, from %s with the directive `use client`", async (path, names, entry) => {
  expect(Object.keys(names).sort()).toEqual(Object.keys(entry).sort());
  const text = await readFile(new URL(`../src/${path}`, import.meta.url), "utf8");
  expect(text.startsWith('"use client";\n')).toBe(true);
});
