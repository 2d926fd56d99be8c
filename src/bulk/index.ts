export type { BulkCost } from "./plan/estimate-cost.ts";
export { folderSource } from "./plan/folder-source.ts";
export { manifestSource } from "./plan/manifest-source.ts";
export { type PlanBulkOptions, planBulk, readBulkPlan } from "./plan/plan-bulk.ts";
export type { BulkFile, BulkPlan, BulkSource } from "./plan/types.ts";
