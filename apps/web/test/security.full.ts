import { describe, expect, test } from "vitest";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";

const executablePath = await findChromium();

describe.skipIf(!executablePath)(
  "the web app's content security policy",
  () => {
    const web = appForTests(executablePath, { chain: false });

    test("allows no code but the app's own files, and connects only to the network", async () => {
      const response = await fetch(web.app.url);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/unsafe-|https?:\/\/\*|data: *;.*script/);
      for (const url of [web.app.devnet.endpoints.api, web.app.devnet.endpoints.keyNodes]) {
        expect(policy).toContain(new URL(url).origin);
      }
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    });

    test("stops injected scripts, strings run as code, and requests to other sites", async () => {
      const page = await web.browser.newPage();
      await page.goto(web.app.url);
      await page.getByRole("button", { name: /Alice/ }).waitFor();
      const blocked = await page.evaluate(async () => {
        const violations: string[] = [];
        const seen = new Promise<void>((done) => {
          document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
            violations.push(effectiveDirective);
            if (violations.length === 4) done();
          });
        });
        const script = document.createElement("script");
        script.textContent = "window.injected = true";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", '<img src="x:" onerror="window.injected = true">');
        await fetch("http://127.0.0.1:9/").catch(() => undefined);
        await seen;
        return { violations: violations.sort(), injected: "injected" in window };
      });
      expect(blocked.injected).toBe(false);
      expect(blocked.violations).toEqual(["connect-src", "img-src", "script-src-attr", "script-src-elem"]);
      await page.close();
    });
  },
  600_000,
);
