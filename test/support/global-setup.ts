import { existsSync, readFileSync } from "node:fs";
import type { TestProject } from "vitest/node";
import type { WycheproofCase } from "./vectors.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Cases of ../shared/vectors/wycheproof-aes-256-gcm.json, or none where that is absent. */
    wycheproof: WycheproofCase[];
  }
}

/** Reads what tests need from outside the repository and hands it to them in either runtime. */
export function setup(project: TestProject): void {
  const vectors = new URL("../../../shared/vectors/wycheproof-aes-256-gcm.json", import.meta.url);
  project.provide("wycheproof", existsSync(vectors) ? JSON.parse(readFileSync(vectors, "utf8")).tests : []);
}
