import { explainConditions, type Simulation, simulateConditions } from "keeplight";
import { useKit } from "keeplight/react";
import { type FormEvent, useCallback, useMemo, useState } from "react";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { useAsked } from "../ui/use-asked.ts";
import { chainRpcs } from "./chain-rpc.ts";
import { aggregatorOf, conditionOf, newDraft } from "./condition-draft.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { explainSaved } from "./explain-saved.ts";

const joins = [
  { value: "and", words: "All must hold" },
  { value: "or", words: "Any is enough" },
] as const;

/** Opens the file to whoever meets conditions on a chain: built by form, said in English, tried before they are set. */
export function ConditionsPanel({ cid }: { cid: string }) {
  const kit = useKit();
  const toast = useToast();
  const { address: me } = useSession();
  const ask = useCallback((signal: AbortSignal) => kit.kavachGetAccessConditions(cid, { signal }), [kit, cid]);
  const access = useAsked(ask);
  const [drafts, setDrafts] = useState(() => [newDraft(1)]);
  const [join, setJoin] = useState<"and" | "or">("and");
  const setting = useAction();

  const conditions = useMemo(() => drafts.map(conditionOf), [drafts]);
  const aggregator = aggregatorOf(drafts, join);
  const explained = useMemo(() => {
    try {
      return { text: explainConditions(conditions, aggregator), error: undefined };
    } catch (error) {
      return { text: undefined, error };
    }
  }, [conditions, aggregator]);
  const owner = access.value?.owner.toLowerCase();
  const saved = access.value && explainSaved(access.value);

  const set = async (event: FormEvent) => {
    event.preventDefault();
    const done = await setting.run((signal) =>
      kit.kavachSetAccessConditions(cid, { conditions, aggregator, decryptionType: "ACCESS_CONDITIONS", signal }),
    );
    if (done) toast("The conditions are set on all five nodes");
    access.again();
  };
  const add = () => setDrafts([...drafts, newDraft(Math.max(...drafts.map(({ id }) => id)) + 1)]);

  if (access.status === "loading") return <section className="card preview preview-closed" aria-busy="true" />;
  if (owner !== undefined && owner !== me) {
    return (
      <section className="card stack">
        <h2>Conditions</h2>
        {saved ? <pre className="explanation">{saved}</pre> : <p className="quiet">There are none on this file.</p>}
        <p className="quiet">Only the owner can change them.</p>
      </section>
    );
  }
  return (
    <div className="columns conditions">
      <section className="card conditions-form" aria-labelledby="conditions-title">
        <h2 id="conditions-title">Open it to whoever…</h2>
        <form className="stack" onSubmit={set}>
          {drafts.map((draft) => (
            <ConditionFields
              key={draft.id}
              draft={draft}
              change={(changed) => setDrafts(drafts.map((known) => (known.id === draft.id ? changed : known)))}
              remove={drafts.length > 1 ? () => setDrafts(drafts.filter((known) => known.id !== draft.id)) : undefined}
            />
          ))}
          <div className="condition-bar">
            <Button icon="plus" onClick={add}>
              Add a condition
            </Button>
            {drafts.length > 1 && (
              <Segmented label="How they are joined" value={join} choices={joins} onChoose={setJoin} />
            )}
          </div>
          <Button
            kind="primary"
            type="submit"
            busy={setting.status === "busy"}
            disabled={explained.text === undefined || owner === undefined}
          >
            Set these conditions
          </Button>
        </form>
      </section>
      <section className="card stack conditions-meaning" aria-labelledby="meaning-title">
        <h2 id="meaning-title">What that means</h2>
        {explained.text !== undefined ? (
          <pre className="explanation">{explained.text}</pre>
        ) : (
          <p className="explanation">{problemOf(explained.error)}</p>
        )}
        <Trial conditions={conditions} aggregator={aggregator} ready={explained.text !== undefined} />
      </section>
      <section className="card stack conditions-saved" aria-labelledby="saved-title">
        <h2 id="saved-title">Set now</h2>
        {saved ? (
          <pre className="explanation">{saved}</pre>
        ) : (
          <p className="quiet">No conditions: only you, and those you share with, can open it.</p>
        )}
        {setting.status === "failed" && (
          <ErrorNote error={setting.error}>
            {setting.resume && (
              <Button icon="retry" onClick={() => setting.resume?.().then(access.again)}>
                Finish on the other nodes
              </Button>
            )}
          </ErrorNote>
        )}
        {access.status === "failed" && (
          <ErrorNote error={access.error}>
            <Button icon="retry" onClick={access.again}>
              Try again
            </Button>
          </ErrorNote>
        )}
      </section>
    </div>
  );
}

/** Asks the chains whether an address would get in, before anything is set. */
function Trial({
  conditions,
  aggregator,
  ready,
}: {
  conditions: ReturnType<typeof conditionOf>[];
  aggregator: string;
  ready: boolean;
}) {
  const { address: me, network } = useSession();
  const [address, setAddress] = useState<string>(me);
  const [result, setResult] = useState<Simulation>();
  const trying = useAction();
  const tryIt = async (event: FormEvent) => {
    event.preventDefault();
    setResult(undefined);
    await trying.run(async (signal) => {
      setResult(await simulateConditions(conditions, aggregator, address.trim(), { rpc: chainRpcs(network), signal }));
    });
  };
  return (
    <>
      <form className="stack" onSubmit={tryIt}>
        <TextField
          label="Would this address get in?"
          required
          value={address}
          onChange={({ target }) => setAddress(target.value)}
        />
        <Button type="submit" icon="people" busy={trying.status === "busy"} disabled={!ready}>
          Try it
        </Button>
      </form>
      {trying.status === "failed" && <ErrorNote error={trying.error} />}
      {result && (
        <div role="status">
          <span className={result.allowed ? "badge badge-good" : "badge badge-bad"}>
            <Icon name={result.allowed ? "check" : "close"} size={14} />
            {result.allowed === undefined ? "Cannot be told" : result.allowed ? "Gets in" : "Stays out"}
          </span>
          <ul className="verdicts">
            {result.conditions.map(({ id, passed, reason }) => (
              <li key={id}>
                <Icon name={passed ? "check" : passed === false ? "close" : "warning"} size={18} />
                {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** What is still missing, without the kit's way of counting. */
function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/contractAddress/.test(message)) return "Fill in the contract’s address to see what the conditions mean.";
  return message.replace(/^Condition validation error: /, "");
}
