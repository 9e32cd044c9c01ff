import type { VNode } from 'preact';
import { ask } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { JobQueue } from '../../api/types.js';
import { Loaded, useRead } from '../../components/lists.js';
import { Card, Page } from '../../components/parts.js';
import { span, words } from '../../logic/format.js';

const EVERY_MS = 5_000;
/** Then no process takes the jobs, or all places have been taken for long. */
const LATE_SECONDS = 60;

const COLUMNS = ['Queue', 'Waiting', 'Active', 'Failed', 'Oldest wait'];

/** The job queues of the installation, read again while the page is open. */
export function OperationsPage(): VNode {
  const queues = useRead(
    'queues',
    async (signal) => (await ask<{ data: JobQueue[] }>('GET', apiPath`queues`, { signal })).data,
    () => EVERY_MS,
  );
  return (
    <Page title="Operations" lead="Background jobs of the installation, for operators.">
      <Card title="Job queues" name="queues" aside={<span class="muted">Refreshed every {EVERY_MS / 1_000} s</span>}>
        <Loaded of={queues} what="the queues">
          {(all) => <Queues all={all} />}
        </Loaded>
        <p class="hint">
          Each job processes one unit of work, and at most two jobs wait per queue. A long wait means that all workers
          are busy or that none is running. Failed jobs of the last 24 hours are counted; their work is retried.
        </p>
      </Card>
    </Page>
  );
}

const Queues = ({ all }: { all: readonly JobQueue[] }): VNode => (
  <div class="table-place whole" tabIndex={0} role="region" aria-label="Job queues">
    <table class="table">
      <caption class="unseen">Job queues</caption>
      <thead>
        <tr>
          {COLUMNS.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {all.map((queue) => (
          <tr key={queue.name} data-queue={queue.name}>
            <th scope="row">{words(queue.name)}</th>
            <td>{queue.waiting.toLocaleString('en-US')}</td>
            <td>{queue.active.toLocaleString('en-US')}</td>
            <td>{queue.failed > 0 ? <strong class="bad-text">{queue.failed.toLocaleString('en-US')}</strong> : '0'}</td>
            <td>{ageOf(queue)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function ageOf({ waiting, oldest_seconds: seconds }: JobQueue): VNode | string {
  if (waiting === 0) return '–';
  const age = span(seconds * 1_000);
  return seconds > LATE_SECONDS ? <strong class="bad-text">{age}, late</strong> : age;
}
