import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { may } from '../../api/me.js';
import { agentsOf, campaignsOf, isOpenCampaign, numbersOf } from '../../api/records.js';
import type { Agent, Campaign, PhoneNumber } from '../../api/types.js';
import { closeDialog, openDialog } from '../../components/dialog.js';
import { Choice, Field } from '../../components/forms.js';
import { type DeletionAnswer, Loaded, useRead } from '../../components/lists.js';

interface Uses {
  /** Numbers that the agent answers; undefined: the session may not read them. */
  numbers: PhoneNumber[] | undefined;
  campaigns: Campaign[];
  /** Agents that can take the numbers. */
  others: Agent[];
}

async function usesOf({ id }: Agent, signal: AbortSignal): Promise<Uses> {
  const [numbers, campaigns, agents] = await Promise.all([numbersOf(signal), campaignsOf(signal), agentsOf(signal)]);
  return {
    numbers: may('numbers:read') ? numbers.filter(({ agent_id: agentId }) => agentId === id) : undefined,
    campaigns: campaigns.filter((one) => isOpenCampaign(one) && one.agent_id === id),
    others: agents.filter((one) => one.id !== id && one.active),
  };
}

/** How an agent is deleted: its numbers can go to another agent. */
export function useAgentDeletion(agent: Agent) {
  const heir = useSignal('');
  /** The dialog has told that numbers lose the agent. Until then, an agent that answers numbers is not deleted. */
  const isTold = useSignal(false);
  return {
    says: <AgentUses agent={agent} heir={heir} isTold={isTold} />,
    query: () => ({
      reassign_to: heir.value,
      if_unused: isTold.value ? undefined : 'true',
    }),
    onDeleted: ({ warnings = [] }: DeletionAnswer) => {
      if (warnings.length > 0) tellOf(agent, warnings);
    },
  };
}

/** Numbers that have no agent now. */
const tellOf = ({ name }: Agent, warnings: NonNullable<DeletionAnswer['warnings']>): void =>
  openDialog({
    title: `${name} was deleted`,
    content: (
      <>
        <ul data-role="warnings">
          {warnings.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
        <div class="actions">
          <a class="button primary" href="#/numbers">
            To the numbers
          </a>
          <button type="button" data-act="close" onClick={closeDialog}>
            Close
          </button>
        </div>
      </>
    ),
  });

interface UsesParts {
  agent: Agent;
  heir: Signal<string>;
  isTold: Signal<boolean>;
}

function AgentUses({ agent, heir, isTold }: UsesParts): VNode {
  const uses = useRead(`uses of agent ${agent.id}`, async (signal) => {
    heir.value = '';
    isTold.value = false;
    const found = await usesOf(agent, signal);
    isTold.value = found.numbers?.length !== 0;
    return found;
  });
  return (
    <>
      <p>Its versions, tools and tests are deleted with it, and the knowledge that only it uses. Its calls remain.</p>
      <Loaded of={uses} what="what depends on it">
        {(all) => <Dependents {...all} heir={heir} />}
      </Loaded>
    </>
  );
}

const Dependents = ({ numbers, campaigns, others, heir }: Uses & Pick<UsesParts, 'heir'>): VNode => (
  <>
    {campaigns.length > 0 && (
      <p>Campaigns that call with it, and pause: {campaigns.map(({ name }) => name).join(', ')}.</p>
    )}
    {numbers?.length !== 0 && (
      <div class="stack tight-stack" data-part="numbers-of-agent">
        <p>{numbers ? 'It answers these numbers:' : 'Numbers that it answers have no agent afterwards.'}</p>
        {numbers && (
          <ul>
            {numbers.map(({ id, e164, name }) => (
              <li key={id}>
                <span class="number-text">{e164}</span> {name !== e164 && <span class="muted">{name}</span>}
              </li>
            ))}
          </ul>
        )}
        <Field name="reassign_to" label="From now on they are answered by">
          <Choice
            options={[['', 'No agent: callers are not answered'], ...others.map(({ id, name }) => [id, name] as const)]}
            onChange={(id) => (heir.value = id)}
          />
        </Field>
      </div>
    )}
  </>
);
