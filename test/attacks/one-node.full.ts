import { testAttacks } from "./attack-tests.ts";
import { oneNodeAttacks } from "./cases/one-node.ts";

testAttacks(oneNodeAttacks);
