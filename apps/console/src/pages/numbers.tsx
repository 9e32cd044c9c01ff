import type { VNode } from 'preact';
import { agentsOf } from '../api/client.js';
import { apiPath } from '../api/path.js';
import type { PhoneNumber } from '../api/types.js';
import { Loaded, Rows, Steps, usePaged, useRead } from '../components/lists.js';
import { CommandLine, Empty, InUse, Page, Time } from '../components/parts.js';

/** The phone numbers of the account. */
export function NumbersPage(): VNode {
  const numbers = usePaged<PhoneNumber>(apiPath`numbers`);
  const agents = useRead('agents', agentsOf).data ?? [];
  const nameOf = (id: number): string => agents.find((agent) => agent.id === id)?.name ?? `agent ${id}`;
  return (
    <Page title="Numbers" lead="Caller IDs of outbound calls, and the agent that answers each number.">
      <Loaded of={numbers} what="numbers">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(one) => (
              <div class="record" data-number={one.e164}>
                <div class="split">
                  <strong class="number-text">{one.e164}</strong>
                  <InUse active={one.active} />
                </div>
                <p class="muted small">
                  {one.name}
                  {one.agent_id === null ? ' · outbound only' : ` · answered by ${nameOf(one.agent_id)}`}
                  {' · '}
                  <Time iso={one.updated_at} />
                </p>
              </div>
            )}
            empty={
              <Empty icon="number" title="No numbers yet">
                <p>Numbers come from a workspace file:</p>
                <CommandLine text="bin/trunkline apply -f workspace.yaml" />
              </Empty>
            }
            class="rows"
            label="Numbers"
          />
        )}
      </Loaded>
      <Steps of={numbers} label="Pages of numbers" />
    </Page>
  );
}
