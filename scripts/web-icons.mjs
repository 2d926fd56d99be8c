// @ts-check
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { chromiumArgs, findChromium } from "../test/support/chromium.mjs";

// Draws the web app's icons from `icon.svg`, into apps/web/public.

const folder = fileURLToPath(new URL("../apps/web/public/", import.meta.url));
const icon = readFileSync(`${folder}icon.svg`, "utf8").replace(/<title>.*<\/title>/, "");
const square = icon.replace('rx="8"', 'rx="0"');
/** Systems cut maskable icons to a circle of 80% of their width. */
const maskable = square.replace(
  /(<path[\s\S]*\/>)(?=\s*<\/svg>)/,
  '<g transform="translate(4.8 4.8) scale(.7)">$1</g>',
);
const sheet = "margin:0;display:grid;place-items:center;height:100vh";

const executablePath = await findChromium();
if (!executablePath) throw new Error("Chromium is required to draw the icons");
const browser = await chromium.launch({ executablePath, args: chromiumArgs });
const page = await browser.newPage();

/** @type {(name: string, width: number, height: number, body: string) => Promise<void>} */
async function draw(name, width, height, body) {
  await page.setViewportSize({ width, height });
  await page.setContent(`<style>svg{display:block}</style><body style="${sheet}">${body}</body>`);
  await page.screenshot({ path: `${folder}${name}`, omitBackground: true });
}

/** @type {(svg: string, size: number) => string} */
const sized = (svg, size) => svg.replace("<svg", `<svg width="${size}" height="${size}"`);

await draw("icon-192.png", 192, 192, sized(icon, 192));
await draw("icon-512.png", 512, 512, sized(icon, 512));
await draw("icon-maskable-512.png", 512, 512, sized(maskable, 512));
await draw("apple-touch-icon.png", 180, 180, sized(square, 180));
const font = fileURLToPath(import.meta.resolve("@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2"));
const data = readFileSync(font).toString("base64");
await draw(
  "og.png",
  1200,
  630,
  `<style>
    @font-face { font-family: Figtree; font-weight: 300 900; src: url(data:font/woff2;base64,${data}) }
    section { display: flex; gap: 64px; align-items: center; justify-content: center; width: 1200px; height: 630px;
      background: #0b4a55; color: #fff; font: 700 84px/1.05 Figtree }
    p { margin: 24px 0 0; max-width: 15em; font: 500 38px/1.35 Figtree; color: #dcebea }
  </style>
  <section>${sized(icon, 280)}<div>Keeplight<p>Files that open for the people you choose.</p></div></section>`,
);
await browser.close();
