import type { AttackCase, AttackRow } from "./attack-case.ts";
import { backupRows } from "./cases/backups.ts";
import { collusionAttacks } from "./cases/collusion.ts";
import { contentAttacks } from "./cases/content.ts";
import { credentialRows, webAppRows } from "./cases/credentials.ts";
import { driveRows } from "./cases/drive.ts";
import { hostileDataRows } from "./cases/hostile-data.ts";
import { knowledgeRows } from "./cases/knowledge.ts";
import { oneNodeAttacks } from "./cases/one-node.ts";
import { recordAttacks } from "./cases/records.ts";
import { visitorRows } from "./cases/visitors.ts";
import type { Outcome } from "./paths.ts";

const files: readonly (readonly [file: string, cases: readonly AttackCase[]])[] = [
  ["content.full.ts", contentAttacks],
  ["one-node.full.ts", oneNodeAttacks],
  ["collusion.full.ts", collusionAttacks],
  ["records.full.ts", recordAttacks],
];

const ownTests: readonly (readonly [file: string, rows: readonly AttackRow[]])[] = [
  ["credentials.test.ts", credentialRows],
  ["web-app.full.ts", webAppRows],
  ["knowledge.test.ts", knowledgeRows],
  ["hostile-data.test.ts", hostileDataRows],
  ["visitors.test.ts", visitorRows],
  ["drive.test.ts", driveRows],
  ["backups.test.ts", backupRows],
];

/** Returns the rows of the table in THREAT-MODEL.md: what the tests in this folder prove, by the name of each test. */
export function listRows(): string[] {
  const attacks = files.flatMap(([file, cases]) => cases.map((one) => formatAttack(one, file)));
  const others = ownTests.flatMap(([file, rows]) =>
    rows.map(({ name, outcome, noticed, limit }) => formatRow([name, outcome, noticed, limit, file])),
  );
  return [...attacks, ...others];
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
