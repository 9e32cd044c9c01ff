import type { VNode } from 'preact';
import { request } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { ConsoleSession } from '../../api/types.js';
import { Loaded, Rows, Steps, usePaged } from '../../components/lists.js';
import { Card, ConfirmButton, Time, useAct } from '../../components/parts.js';
import { words } from '../../logic/format.js';

/** The people who are signed in to the console. */
export function Sessions(): VNode {
  const sessions = usePaged<ConsoleSession>(apiPath`sessions`);
  return (
    <Card title="People who are signed in" name="sessions">
      <div class="stack">
        <Loaded of={sessions} what="sessions">
          {({ data }) => (
            <Rows
              items={data}
              keyOf={({ id }) => id}
              row={(one) => <SessionRow one={one} onEnd={sessions.again} />}
              empty={<p class="muted">Nobody is signed in through single sign-on.</p>}
              class="rows"
              label="Sessions"
            />
          )}
        </Loaded>
        <Steps of={sessions} label="Pages of sessions" />
      </div>
    </Card>
  );
}

function SessionRow({ one, onEnd }: { one: ConsoleSession; onEnd: () => void }): VNode {
  const { run, said } = useAct();
  const name = one.person.name ?? one.person.email ?? one.person.subject;
  const end = (): void =>
    run(async () => {
      await request('DELETE', apiPath`sessions/${one.id}`);
      onEnd();
      return `${name} was signed out.`;
    });
  return (
    <div class="record" data-session={one.id}>
      <div class="split">
        <strong>{name}</strong>
        <span class="muted small">{words(one.role)}</span>
      </div>
      <p class="muted small">
        {one.person.email !== null && one.person.email !== name && `${one.person.email} · `}
        Last used <Time iso={one.last_used_at} />
      </p>
      <div class="actions">
        <ConfirmButton scope="tokens:write" verb="End" what={`the session of ${name}`} onSure={end}>
          <p>They must sign in again, also in other windows of this session.</p>
        </ConfirmButton>
      </div>
      {said}
    </div>
  );
}
