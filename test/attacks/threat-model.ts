import type { AttackCase } from "./attack-case.ts";
import { collusionAttacks } from "./cases/collusion.ts";
import { contentAttacks } from "./cases/content.ts";
import { hostileDataRows } from "./cases/hostile-data.ts";
import { knowledgeRows } from "./cases/knowledge.ts";
import { oneNodeAttacks } from "./cases/one-node.ts";
import { recordAttacks } from "./cases/records.ts";
import type { Outcome } from "./paths.ts";

const files: readonly (readonly [file: string, cases: readonly AttackCase[]])[] = [
  ["content.full.ts", contentAttacks],
  ["one-node.full.ts", oneNodeAttacks],
  ["collusion.full.ts", collusionAttacks],
  ["records.full.ts", recordAttacks],
];

/** Returns the rows of the table in THREAT-MODEL.md: what the tests in this folder prove, by the name of each test. */
export function listRows(): string[] {
  const attacks = files.flatMap(([file, cases]) => cases.map((one) => formatAttack(one, file)));
  const known = knowledgeRows.map(({ name, outcome, limit }) =>
    formatRow([name, outcome, "", limit, "knowledge.test.ts"]),
  );
  const data = hostileDataRows.map(({ name, outcome, noticed, limit }) =>
    formatRow([name, outcome, noticed, limit, "hostile-data.test.ts"]),
  );
  return [...attacks, ...known, ...data];
}

function formatAttack({ name, outcome, paths }: AttackCase, file: string): string {
  const entries = Object.entries(paths);
  const noticed = entries.filter(([, found]) => found !== "deceived");
  const limits = entries.filter(([, found]) => found === "deceived").map(([path]) => path);
  const errors = noticed.map(([path, found]) => `${path}: ${formatOutcome(found)}`);
  return formatRow([name, outcome, errors.join("; "), limits.join("; "), file]);
}

function formatRow(cells: readonly (string | undefined)[]): string {
  return `| ${cells.map((cell) => cell || "–").join(" | ")} |`;
}

function formatOutcome(outcome: Outcome): string {
  return outcome === "reported" ? outcome : `\`${outcome}\``;
}
