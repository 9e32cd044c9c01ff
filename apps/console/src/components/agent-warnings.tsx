import type { VNode } from 'preact';
import { may } from '../api/me.js';
import { apiPath } from '../api/path.js';
import type { Warning, WholeAgent } from '../api/types.js';
import { Icon } from './icons.js';
import { useRecord } from './lists.js';
import { Pill } from './parts.js';

/** Each sentence once: one missing key may concern several parts of an agent. */
const distinct = (all: readonly Warning[]): Warning[] =>
  all.filter(({ message }, index) => all.findIndex((one) => one.message === message) === index);

/** Calls work, without one of the providers. */
const isMinor = ({ code }: Warning): boolean => code === 'provider_not_configured';

/** Why calls of an agent fail, on its page and where its calls begin. */
export const AgentWarnings = ({ all }: { all: readonly Warning[] }): VNode => (
  <div class="notices" role="status">
    {distinct(all).map((one) => (
      <p key={one.message} class={`notice ${isMinor(one) ? 'wait' : 'bad'}`} data-warning={one.code}>
        <Icon name="warn" />
        <span>{one.message}</span>
      </p>
    ))}
  </div>
);

/** The same for an agent that another page names. */
export const WarningsOfAgent = ({ agentId }: { agentId: number | null }): VNode | null =>
  agentId === null || !may('agents:read') ? null : <ReadWarnings agentId={agentId} />;

const ReadWarnings = ({ agentId }: { agentId: number }): VNode => (
  <AgentWarnings all={useRecord<WholeAgent>(apiPath`agents/${agentId}`).warnings} />
);

/** The same as pills, in a list of agents. */
export const WarningPills = ({ all }: { all: readonly Warning[] }): VNode | null =>
  all.length === 0 ? null : (
    <p class="pills warnings">
      {distinct(all).map((one) => (
        <Pill key={one.message} status={isMinor(one) ? 'paused' : 'refused'} label={one.message.replace(/\.$/, '')} />
      ))}
    </p>
  );
