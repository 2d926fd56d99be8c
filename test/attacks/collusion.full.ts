import { testAttacks } from "./attack-tests.ts";
import { collusionAttacks } from "./cases/collusion.ts";

testAttacks(collusionAttacks);
