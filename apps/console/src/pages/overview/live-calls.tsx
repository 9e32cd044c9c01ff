import type { VNode } from 'preact';
import { ask } from '../../api/client.js';
import { may, refusalOf } from '../../api/me.js';
import { apiPath } from '../../api/path.js';
import type { ListedCall, ListOf } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import { Rows, useRead } from '../../components/lists.js';
import { Card, Pill, Trouble } from '../../components/parts.js';
import { plural } from '../../logic/format.js';
import { Duration, remoteNumber } from '../calls/calls.js';

const LIVE_MS = 2_000;
const CALM_MS = 5_000;
/** The others are one click away. */
const MAX_SHOWN = 5;

interface Live {
  calls: ListedCall[];
  total: number;
}

async function read(signal: AbortSignal): Promise<Live> {
  const query = { status: 'in_progress', channel: 'any', per_page: MAX_SHOWN };
  const { data, meta } = await ask<ListOf<ListedCall>>('GET', apiPath`calls`, { query, signal });
  return { calls: data, total: meta.total };
}

/** The calls that are live now, each with a way to hear it. */
export const LiveCalls = (): VNode | null => (may('calls:read') ? <Live /> : null);

function Live(): VNode | null {
  const live = useRead('live calls', read, ({ total }) => (total > 0 ? LIVE_MS : CALM_MS));
  if (live.error !== undefined) return <Trouble error={live.error} />;
  // Nothing moves below an account without live calls.
  if (live.data === undefined || live.data.total === 0) return null;
  const { calls, total } = live.data;
  return (
    <Card
      title="Live calls"
      name="live-calls"
      aside={
        <span class="muted small">
          <span class="live-dot" />
          {plural(total, 'call')}
          {total > calls.length && (
            <>
              {' · '}
              <a href="#/calls?status=in_progress">see all</a>
            </>
          )}
        </span>
      }
    >
      <Rows
        items={calls}
        keyOf={({ call_id: id }) => id}
        row={(call) => <LiveRow call={call} />}
        empty={null}
        class="rows live-calls"
        label="Live calls"
      />
    </Card>
  );
}

function LiveRow({ call }: { call: ListedCall }): VNode {
  const refusal = refusalOf('calls:listen');
  const name = remoteNumber(call);
  return (
    <div class="live-row" data-call={call.call_id}>
      <Pill status={call.status} />
      <a class="who" href={`#/calls/${call.call_id}`} data-focus="open">
        <span class="remote-number">
          <Icon name={call.channel === 'web' ? 'web' : call.direction === 'inbound' ? 'in' : 'out'} />
          {name}
        </span>
        <span class="muted small">{call.agent}</span>
      </a>
      <span class="long">
        <Duration call={call} />
      </span>
      {refusal === undefined ? (
        <a
          class="button"
          href={`#/calls/${call.call_id}?listen=yes`}
          data-focus="listen"
          aria-label={`Listen to ${name}, ${call.agent}`}
        >
          <Icon name="listen" />
          Listen
        </a>
      ) : (
        <a class="button" href={`#/calls/${call.call_id}`} data-focus="listen" title={refusal}>
          Open
        </a>
      )}
    </div>
  );
}
