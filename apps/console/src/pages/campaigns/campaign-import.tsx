import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ask, download } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { ContactImport } from '../../api/types.js';
import { upload } from '../../api/upload.js';
import { Choice, Field, Form, textOf } from '../../components/forms.js';
import { useRead } from '../../components/lists.js';
import { announce, Card, Trouble, useAct } from '../../components/parts.js';
import { plural } from '../../logic/format.js';

const BUSY_MS = 700;

/** Uploads a CSV file; the service reads it afterwards. */
export async function importContacts(
  campaignId: number,
  file: File,
  options: Readonly<Record<string, string>>,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<ContactImport> {
  const form = new FormData();
  for (const [name, value] of Object.entries(options)) form.set(name, value);
  form.set('file', file);
  const path = apiPath`campaigns/${campaignId}/contacts/import`;
  const { data } = await upload<{ data: ContactImport }>(path, form, onProgress, signal);
  return data;
}

const DUPLICATES = [
  ['merge', 'Replace the values of waiting contacts'],
  ['refuse', 'Refuse the row'],
] as const;

/** Adds the contacts of a CSV file to a campaign, and shows the last import. */
export function ImportCard({ campaignId, onAdded }: { campaignId: number; onAdded: () => void }): VNode {
  const percent = useSignal<number | undefined>(undefined);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const imports = useRead<readonly ContactImport[]>(
    `imports of ${campaignId}`,
    async (signal) =>
      (await ask<{ data: ContactImport[] }>('GET', apiPath`campaigns/${campaignId}/imports`, { signal })).data,
    (all) => (all.some(isRunning) ? BUSY_MS : undefined),
  );
  const last = imports.data?.[0];
  const isOver = last !== undefined && !isRunning(last);
  useEffect(() => {
    if (isOver) onAdded();
  }, [last?.id, isOver]);
  const send = async (values: FormData, form: HTMLFormElement): Promise<void> => {
    const file = values.get('file');
    const options = { duplicates: textOf(values, 'duplicates') };
    const chosen = file instanceof File ? file : new File([], '');
    try {
      const show = (to: number): void => void (percent.value = to);
      await importContacts(campaignId, chosen, options, show, leaving.current.signal);
    } finally {
      percent.value = undefined;
    }
    form.reset();
    announce('The file was uploaded.');
    imports.again();
  };
  return (
    <Card title="Add contacts" name="import">
      <Form
        scope="campaigns:write"
        label="Add contacts"
        submit="Upload"
        busy={percent.value === undefined ? 'Uploading…' : `Uploading, ${percent.value} %`}
        send={send}
      >
        <Field name="file" label="CSV file" hint="A header row with to_number, and metadata.* or variables.*">
          <input type="file" accept=".csv,.txt,.tsv" />
        </Field>
        <Field name="duplicates" label="Numbers that are there already">
          <Choice options={DUPLICATES} />
        </Field>
      </Form>
      <Trouble error={imports.error} />
      {last && <LastImport campaignId={campaignId} one={last} />}
    </Card>
  );
}

const isRunning = ({ status }: ContactImport): boolean => status === 'pending' || status === 'processing';

function LastImport({ campaignId, one }: { campaignId: number; one: ContactImport }): VNode {
  const { run, said } = useAct();
  const path = apiPath`campaigns/${campaignId}/imports/${one.id}/refused`;
  return (
    <div class="stack tight-stack" data-import={one.status}>
      <h3>{one.file_name}</h3>
      {isRunning(one) && (
        <div class="progress-line">
          <div
            class="progress"
            role="progressbar"
            aria-label={`Import of ${one.file_name}`}
            aria-valuenow={one.progress}
            aria-valuemin={0}
            aria-valuemax={100}
          >
            <span style={{ width: `${one.progress}%` }} />
          </div>
          <span class="muted small">{one.progress} %</span>
        </div>
      )}
      <p class="muted small">
        {[
          plural(one.added, 'contact added', 'contacts added'),
          one.merged > 0 && `${one.merged.toLocaleString('en-US')} replaced`,
          `${one.refused.toLocaleString('en-US')} refused`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {one.processing_error !== null && <p class="field-error">{one.processing_error}</p>}
      {one.refused > 0 && (
        <div class="actions">
          <button type="button" onClick={() => run(() => download(path, `refused-${one.id}.csv`))}>
            Download the refused rows
          </button>
        </div>
      )}
      {said}
    </div>
  );
}
