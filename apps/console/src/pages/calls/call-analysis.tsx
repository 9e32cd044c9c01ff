import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { request } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import { poll } from '../../api/poll.js';
import { type Analysis, isLive, type WholeCall } from '../../api/types.js';
import { Card, Pill, Time, Trouble, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { clock, dollars, words } from '../../logic/format.js';
import { answerOf } from '../../logic/story.js';

/** While an analysis waits or runs, and for a while after the call has ended. */
const LOOK_MS = 2_000;
/** The service queues the analysis when the call ends; the page may read before. */
const LOOKS_FOR_FIRST = 5;

interface AnalysisParts {
  call: WholeCall;
  /** Shows the place in the conversation, and plays from there. */
  onJump: (ms: number) => void;
}

interface Analyses {
  /** Newest first. */
  versions: readonly Analysis[];
  trouble: unknown;
  /** Reads again: another analysis was asked for. */
  again: () => void;
}

/** Whether the page has a part about them. */
export const hasAnalyses = ({ versions, trouble }: Analyses): boolean => versions.length > 0 || trouble !== undefined;

/** The analyses of an ended call, read again while one of them is under way. */
export function useAnalyses(call: WholeCall): Analyses {
  const asked = useSignal(0);
  const versions = useSignal<readonly Analysis[]>([]);
  const trouble = useSignal<unknown>(undefined);
  const isOver = !isLive(call) && call.answered_at !== null;
  useEffect(() => {
    if (!isOver) return undefined;
    const stop = new AbortController();
    let looks = 0;
    const work = async (): Promise<void> => {
      const path = apiPath`calls/${call.call_id}/analyses`;
      const response = await request('GET', path, { signal: stop.signal });
      versions.value = ((await response.json()) as { data: Analysis[] }).data;
      looks += 1;
    };
    const every = (): number | undefined => {
      const [latest] = versions.value;
      const isDone = latest ? isEnded(latest) || latest.waiting_for === 'spend_limit' : looks >= LOOKS_FOR_FIRST;
      return isDone ? undefined : LOOK_MS;
    };
    void poll({ signal: stop.signal, every, work, onTrouble: (error) => (trouble.value = error) });
    return () => stop.abort();
  }, [call.call_id, isOver, asked.value]);
  return { versions: versions.value, trouble: trouble.value, again: () => void (asked.value += 1) };
}

/** What was read out of the call, with its places in the conversation. */
export function CallAnalysis({ call, analyses, onJump }: AnalysisParts & { analyses: Analyses }): VNode {
  const chosen = useSignal<number | undefined>(undefined);
  const act = useAct();
  const { versions, trouble } = analyses;
  const shown = versions.find(({ version }) => version === chosen.value) ?? versions[0];
  const again = async (): Promise<string> => {
    await request('POST', apiPath`calls/${call.call_id}/analysis`, { body: {} });
    chosen.value = undefined;
    analyses.again();
    return 'The analysis was restarted.';
  };
  const repeat = (
    <ActButton scope="calls:write" class="quiet" isBusy={act.isBusy} onClick={() => act.run(again)}>
      Rerun analysis
    </ActButton>
  );
  return (
    <Card title="Analysis" name="analysis" aside={repeat}>
      <Trouble error={trouble} />
      {act.said}
      {versions.length > 1 && <Versions all={versions} shown={shown} onChoice={(one) => (chosen.value = one)} />}
      {shown && <Result analysis={shown} call={call} onJump={onJump} />}
    </Card>
  );
}

interface VersionsParts {
  all: readonly Analysis[];
  shown: Analysis | undefined;
  onChoice: (version: number) => void;
}

const Versions = ({ all, shown, onChoice }: VersionsParts): VNode => (
  <label>
    Version{' '}
    <select value={shown?.version} onChange={(event) => onChoice(Number(event.currentTarget.value))}>
      {all.map(({ version, source }) => (
        <option key={version} value={version}>
          {`${version}${source === null ? '' : `, by ${sourceWords(source)}`}`}
        </option>
      ))}
    </select>
  </label>
);

const isEnded = ({ status }: Analysis): boolean => status === 'completed' || status === 'failed';
const sourceWords = (source: string): string => (source === 'model' ? 'a text model' : source);

function Result({ analysis, call, onJump }: AnalysisParts & { analysis: Analysis }): VNode {
  const { status, source, model, error, cost, finished_at: finished, summary, waiting_for: waits } = analysis;
  const rows: Row[] = [
    ...analysis.fields.map((field) => ({ ...field, name: field.path })),
    ...analysis.rubric.map((answer) => ({ ...answer, hint: answer.question })),
  ];
  return (
    <div class="stack" data-version={analysis.version}>
      <p class="muted small">
        <Pill status={status} /> {source === null ? '' : `by ${model ?? sourceWords(source)}`}
        {finished !== null && (
          <>
            , <Time iso={finished} />
          </>
        )}
        {cost > 0 && `, ${dollars(cost)}`}
        {waits === 'spend_limit' && 'Waiting until tomorrow: the daily spend limit is reached.'}
      </p>
      {error && <p class="field-error">{error.message}</p>}
      {summary !== null && <p class="summary-text">{summary}</p>}
      {rows.length > 0 && (
        <table class="costs">
          <caption class="unseen">Values of the analysis and their evidence</caption>
          <tbody>
            {rows.map((row) => (
              <ValueRow key={row.name} row={row} call={call} onJump={onJump} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

interface Row extends Pick<Analysis['fields'][number], 'value' | 'status' | 'evidence'> {
  name: string;
  hint?: string;
}

const ValueRow = ({ row, call, onJump }: AnalysisParts & { row: Row }): VNode => (
  <tr data-value={row.name} data-status={row.status}>
    <th scope="row">
      {words(row.name)}
      {row.hint !== undefined && <span class="muted small">{row.hint}</span>}
      {row.evidence.map((place, index) => (
        <Place key={index} place={place} call={call} onJump={onJump} />
      ))}
    </th>
    <td>
      {row.status === 'supported' ? (
        <code>{typeof row.value === 'string' ? row.value : JSON.stringify(row.value)}</code>
      ) : row.status === 'unsupported' ? (
        <Pill status="failed" label="Unsupported" />
      ) : (
        <span class="muted">Not found</span>
      )}
    </td>
  </tr>
);

/** A quote; one of a moment of the call leads to it. */
function Place({ place, call, onJump }: AnalysisParts & { place: Row['evidence'][number] }): VNode {
  const { started_ms: ms, quote, source } = place;
  const text = `${words(source)}: “${quote}”`;
  if (ms === null) return <span class="muted small">{text}</span>;
  const at = clock(((answerOf(call) ?? 0) + ms) / 1_000);
  return (
    <span class="muted small">
      <button type="button" class="at" aria-label={`Go to ${at}`} onClick={() => onJump(ms)}>
        {at}
      </button>{' '}
      {text}
    </span>
  );
}
