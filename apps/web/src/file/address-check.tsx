import { type Simulation, simulateConditions } from "@keeplight/conditions";
import type { EvmCondition } from "keeplight";
import { type FormEvent, useState } from "react";
import type { Messages } from "../messages/en.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { TextField } from "../ui/field.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useAction } from "../ui/use-action.ts";
import { getChainRpcs } from "./chain-rpc.ts";

/** Tests an address against the rules, on the chains, before they are saved. */
export function AddressCheck({
  conditions,
  aggregator,
  ready,
  address,
  onAddress,
}: {
  conditions: EvmCondition[];
  aggregator: string;
  ready: boolean;
  /** As typed. */
  address: string;
  onAddress: (address: string) => void;
}) {
  const { rules } = useMessages();
  const { network } = useSession();
  const [result, setResult] = useState<Simulation>();
  const testing = useAction();
  const test = async (event: FormEvent) => {
    event.preventDefault();
    setResult(undefined);
    await testing.run(async (signal) => {
      setResult(
        await simulateConditions(conditions, aggregator, address.trim(), { rpc: getChainRpcs(network), signal }),
      );
    });
  };
  return (
    <>
      <form className="stack" onSubmit={test}>
        <TextField
          label={rules.testAddress}
          required
          value={address}
          onChange={({ target }) => {
            setResult(undefined);
            onAddress(target.value);
          }}
        />
        <Button type="submit" icon="people" busy={testing.status === "busy"} disabled={!ready}>
          {rules.test}
        </Button>
      </form>
      {testing.status === "failed" && <ErrorNote error={testing.error} />}
      {result && (
        <div role="status">
          <span className={result.allowed ? "badge badge-good" : "badge badge-bad"}>
            <Icon name={result.allowed ? "check" : "close"} size={14} />
            {describeResult(result.allowed, rules)}
          </span>
          <ul className="verdicts" lang="en">
            {result.conditions.map(({ id, passed, reason }) => (
              <li key={id}>
                <Icon name={getVerdictIcon(passed)} size={18} />
                {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function describeResult(isAllowed: boolean | undefined, rules: Messages["rules"]): string {
  if (isAllowed === undefined) return rules.notChecked;
  return isAllowed ? rules.allowed : rules.denied;
}

function getVerdictIcon(passed: boolean | undefined): IconName {
  if (passed === undefined) return "warning";
  return passed ? "check" : "close";
}
