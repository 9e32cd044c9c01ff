import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ask, download } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { ContactImport, ImportPreview } from '../../api/types.js';
import { ImportDialog, ImportFile, type ImportTarget } from '../../components/import-dialog.js';
import { useRead } from '../../components/lists.js';
import { announce, Card, Trouble, useAct } from '../../components/parts.js';
import { useDeclared } from '../../components/variable-fields.js';
import { plural } from '../../logic/format.js';

const BUSY_MS = 700;

const DUPLICATES = [
  ['merge', 'Replace the values of waiting contacts'],
  ['refuse', 'Refuse the row'],
] as const;

const CONTACTS = {
  scope: 'campaigns:write',
  fields: [
    ['to_number', 'Number'],
    ['time_zone', 'Time zone'],
    ['not_before', 'Not before'],
  ],
  groups: [
    ['variables', 'Variable'],
    ['metadata', 'Metadata'],
  ],
  duplicates: DUPLICATES,
  numberTitle: 'Will be called',
  countsText: ({ added, merged = 0, refused }: ImportPreview['counts']) =>
    [
      `${plural(added, 'contact')} will be added`,
      merged > 0 && `${merged.toLocaleString('en-US')} replaced`,
      `${plural(refused, 'row')} refused`,
    ]
      .filter(Boolean)
      .join(' · '),
  submit: ({ rows, refused }: ImportPreview['counts']) => `Import ${plural(rows - refused, 'row')}`,
} as const satisfies Partial<ImportTarget<ContactImport>>;

/** Beside the variables that the agent declares. */
const OTHER_VALUES = [
  ['variables', 'Other variable'],
  ['metadata', 'Metadata'],
] as const;

let chosenFile: File | undefined;

/** The file that was chosen in the form of a new campaign is imported on its page. */
export function importOnNextPage(file: File): void {
  chosenFile = file;
}

function takeChosenFile(): File | undefined {
  const file = chosenFile;
  chosenFile = undefined;
  return file;
}

interface ImportParts {
  campaignId: number;
  agentId: number | null;
  onAdded: () => void;
}

/** Adds the contacts of a file to a campaign, and shows the last import. */
export function ImportCard({ campaignId, agentId, onAdded }: ImportParts): VNode {
  const declared = useDeclared(agentId ?? undefined);
  const file = useSignal<File | undefined>(undefined);
  useEffect(() => {
    file.value = takeChosenFile();
  }, []);
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
  const leave = (): void => void (file.value = undefined);
  const target: ImportTarget<ContactImport> = {
    ...CONTACTS,
    fields: [...CONTACTS.fields, ...declared.map(({ name }) => [`variables.${name}`, `Variable ${name}`] as const)],
    groups: declared.length === 0 ? CONTACTS.groups : OTHER_VALUES,
    path: apiPath`campaigns/${campaignId}/contacts/import`,
    previewPath: apiPath`campaigns/${campaignId}/contacts/import/preview`,
    onDone: () => {
      leave();
      announce('The import has begun.');
      imports.again();
    },
  };
  return (
    <Card title="Add contacts" name="import">
      <ImportFile scope="campaigns:write" onChoose={(chosen) => (file.value = chosen)} />
      {file.value && <ImportDialog file={file.value} target={target} onCancel={leave} />}
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
