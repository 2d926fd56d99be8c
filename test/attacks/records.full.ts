import { testAttacks } from "./attack-tests.ts";
import { recordAttacks } from "./cases/records.ts";

testAttacks(recordAttacks);
