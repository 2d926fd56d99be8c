export type { SimulatedCondition, SimulatedValue, Simulation } from "./evaluate.ts";
export { type ExplainOptions, explainConditions } from "./explain.ts";
export { type SimulateOptions, simulateConditions } from "./simulate.ts";
