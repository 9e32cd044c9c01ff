import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ask, request } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { DoNotCallEntry, ImportPreview, ImportReport, NumberCheck } from '../../api/types.js';
import { Choice, Field, Form, textOf } from '../../components/forms.js';
import { ImportDialog, ImportFile, type ImportTarget } from '../../components/import-dialog.js';
import { Loaded, Rows, Steps, usePaged } from '../../components/lists.js';
import { NumberInput } from '../../components/number-input.js';
import { announce, Card, ConfirmButton, Empty, Facts, Page, Time, useAct } from '../../components/parts.js';
import { plural } from '../../logic/format.js';

const SOURCES = [
  ['', 'All sources'],
  ['api', 'API and console'],
  ['agent', 'Agents'],
  ['import', 'Imports'],
  ['file', 'Operator file'],
] as const;

/** The numbers that the account does not call. */
export function DoNotCallPage(): VNode {
  const number = useSignal('');
  const source = useSignal('');
  const entries = usePaged<DoNotCallEntry>(apiPath`do-not-call`, {
    query: { number: number.value.trim() || undefined, source: source.value || undefined },
  });
  return (
    <Page
      title="Do not call"
      lead="Numbers that are never called. Checked when a call is created, and again when it is dialled, transferred or redirected."
    >
      <div class="with-aside">
        <div class="main-column">
          <div class="pair">
            <Field name="search" label="Number begins with">
              <input
                type="search"
                inputMode="tel"
                placeholder="+1202"
                value={number.value}
                onInput={(event) => (number.value = event.currentTarget.value)}
              />
            </Field>
            <Field name="source" label="Source">
              <Choice options={SOURCES} selected={source.value} onChange={(value) => (source.value = value)} />
            </Field>
          </div>
          <Loaded of={entries} what="entries">
            {({ data }) => (
              <Rows
                items={data}
                keyOf={({ id }) => id}
                row={(one) => <EntryRow one={one} onChange={entries.again} />}
                empty={
                  number.value === '' && source.value === '' ? (
                    <Empty icon="mute" title="No entries yet">
                      <p>Add a number or import a list with the forms on this page.</p>
                    </Empty>
                  ) : (
                    <Empty icon="search" title="No matching entries" />
                  )
                }
                class="rows"
                label="Do-not-call entries"
              />
            )}
          </Loaded>
          <Steps of={entries} label="Pages of entries" />
        </div>
        <Forms onSaved={entries.again} />
      </div>
    </Page>
  );
}

const Forms = ({ onSaved }: { onSaved: () => void }): VNode => (
  <aside class="stack" aria-label="Check, add and import">
    <Card title="Check a number" name="check">
      <CheckForm />
    </Card>
    <Card title="Add a number" name="add">
      <AddForm onSaved={onSaved} />
    </Card>
    <Card title="Import a list" name="import">
      <ImportForm onSaved={onSaved} />
    </Card>
  </aside>
);

const sourceOf = (source: string): string => SOURCES.find(([name]) => name === source)?.[1] ?? source;

function EntryRow({ one, onChange }: { one: DoNotCallEntry; onChange: () => void }): VNode {
  const { run, said } = useAct();
  const remove = (): void =>
    run(async () => {
      await request('DELETE', apiPath`do-not-call/${one.id}`);
      onChange();
      return `${one.number} was removed from the list.`;
    });
  return (
    <div class="record" data-entry={one.number}>
      <div class="split">
        <strong class="number-text">{one.match === 'prefix' ? `${one.number}*` : one.number}</strong>
        <span class="muted small">{sourceOf(one.source)}</span>
      </div>
      <p class="muted small">
        Added <Time iso={one.created_at} />
        {one.expires_at !== null && (
          <>
            {' · expires '}
            <Time iso={one.expires_at} />
          </>
        )}
        {one.call_id !== null && (
          <>
            {' · '}
            <a href={`#/calls/${one.call_id}`}>in a call</a>
          </>
        )}
      </p>
      {one.reason !== null && <p>{one.reason}</p>}
      {said}
      <div class="actions">
        <ConfirmButton scope="compliance:write" verb="Delete" what={`the entry ${one.number}`} onSure={remove}>
          <p>
            {one.match === 'prefix' ? 'Numbers that begin so' : 'This number'} may be called again, also by campaigns
            that run.
          </p>
        </ConfirmButton>
      </div>
    </div>
  );
}

const REASONS = {
  do_not_call: 'No: it is on the do-not-call list.',
  contact_limit: 'No: its contact limit is reached.',
  outside_window: 'Not now: it is outside the allowed local hours.',
} as const;

function CheckForm(): VNode {
  const found = useSignal<NumberCheck | undefined>(undefined);
  const send = async (values: FormData): Promise<void> => {
    found.value = undefined;
    const query = { number: textOf(values, 'number') };
    found.value = (await ask<{ data: NumberCheck }>('GET', apiPath`do-not-call/check`, { query })).data;
    announce(answerOf(found.value));
  };
  return (
    <>
      <Form label="Check a number" class="stack" submit="Check" busy="Checking…" send={send}>
        <Field name="number" label="Number to check">
          <NumberInput placeholder="+12025550100" />
        </Field>
      </Form>
      {found.value && <CheckResult check={found.value} />}
    </>
  );
}

const answerOf = ({ reason }: NumberCheck): string =>
  reason === null ? 'Yes: it can be called now.' : REASONS[reason];

const CheckResult = ({ check }: { check: NumberCheck }): VNode => (
  <div class="stack" data-part="check-result">
    <p>
      <strong>{answerOf(check)}</strong>
    </p>
    <Facts
      kind="rows-of-facts"
      all={[
        ['Number', check.number],
        ['Calls in 24 hours', String(check.attempts.last_24_hours)],
        ['Calls in 7 days', String(check.attempts.last_7_days)],
        ...check.local_times
          .slice(0, 4)
          .map(({ time_zone, local_time }) => [time_zone, local_time.slice(11, 16)] as const),
        ...(check.opens_at === null ? [] : [['Allowed again', <Time key="at" iso={check.opens_at} />] as const]),
      ]}
    />
  </div>
);

function AddForm({ onSaved }: { onSaved: () => void }): VNode {
  const send = async (values: FormData, form: HTMLFormElement): Promise<void> => {
    const body = {
      number: textOf(values, 'number'),
      reason: textOf(values, 'reason') || null,
      expires_at: textOf(values, 'expires_at') || null,
    };
    const { ended_calls } = await ask<{ ended_calls: number }>('POST', apiPath`do-not-call`, { body });
    const ended = ended_calls > 0 ? ` ${plural(ended_calls, 'queued call')} ended.` : '';
    announce(`${body.number} was added to the list.${ended}`);
    form.reset();
    onSaved();
  };
  return (
    <Form scope="compliance:write" label="Add a number" class="stack" submit="Add" busy="Saving…" send={send}>
      <Field
        name="number"
        label="Number"
        hint="With + and country code. End with * to cover every number with this prefix."
      >
        <NumberInput placeholder="+12025550100" />
      </Field>
      <Field name="reason" label="Reason">
        <input maxLength={500} autocomplete="off" />
      </Field>
      <Field name="expires_at" label="Expires" hint="Leave empty for no expiry.">
        <input type="date" />
      </Field>
    </Form>
  );
}

const ENTRIES = {
  scope: 'compliance:write',
  path: apiPath`do-not-call/import/file`,
  previewPath: apiPath`do-not-call/import/preview`,
  fields: [
    ['number', 'Number'],
    ['reason', 'Reason'],
    ['expires_at', 'Until'],
  ],
  groups: [],
  numberTitle: 'Will not be called',
  countsText: ({ added, unchanged = 0, refused }: ImportPreview['counts']) =>
    [
      `${plural(added, 'entry', 'entries')} will be added`,
      unchanged > 0 && `${unchanged.toLocaleString('en-US')} on the list already`,
      `${plural(refused, 'row')} refused`,
    ]
      .filter(Boolean)
      .join(' · '),
  submit: ({ rows, refused }: ImportPreview['counts']) => `Import ${plural(rows - refused, 'row')}`,
} as const satisfies Partial<ImportTarget<ImportReport>>;

function ImportForm({ onSaved }: { onSaved: () => void }): VNode {
  const report = useSignal<ImportReport | undefined>(undefined);
  const file = useSignal<File | undefined>(undefined);
  const leave = (): void => void (file.value = undefined);
  const done = (data: ImportReport): void => {
    leave();
    report.value = data;
    announce(`${plural(data.added, 'entry', 'entries')} added, ${plural(data.refused, 'row')} refused.`);
    onSaved();
  };
  return (
    <div class="stack">
      <ImportFile scope="compliance:write" onChoose={(chosen) => (file.value = chosen)} />
      {file.value && <ImportDialog file={file.value} target={{ ...ENTRIES, onDone: done }} onCancel={leave} />}
      {report.value && <Report report={report.value} />}
    </div>
  );
}

const SHOWN_ROWS = 20;

const Report = ({ report }: { report: ImportReport }): VNode => (
  <div class="stack" data-part="import-report">
    <p>
      {plural(report.added, 'entry', 'entries')} added, {report.unchanged} already listed,{' '}
      {plural(report.refused, 'row')} refused, {plural(report.ended_calls, 'queued call')} ended.
    </p>
    {report.refused_rows.length > 0 && (
      <ul class="small">
        {report.refused_rows.slice(0, SHOWN_ROWS).map(({ line, problem }) => (
          <li key={line}>
            Line {line}: {problem}
          </li>
        ))}
      </ul>
    )}
  </div>
);
