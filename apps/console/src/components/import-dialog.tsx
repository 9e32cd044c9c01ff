import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { isAbort } from '../api/client.js';
import type { ApiPath } from '../api/path.js';
import type { ImportPreview, Scope } from '../api/types.js';
import { upload } from '../api/upload.js';
import { plural } from '../logic/format.js';
import { CountryChoice } from './country-choice.js';
import { Choice, Field } from './forms.js';
import { Trouble } from './parts.js';
import { ActButton, May } from './permissions.js';

/** What files are imported into. */
export interface ImportTarget<Result> {
  scope: Scope;
  /** Where the file goes; with `/preview`, where it is only read. */
  path: ApiPath;
  previewPath: ApiPath;
  /** The fields that columns can have. */
  fields: readonly (readonly [field: string, label: string])[];
  /** Groups of fields with names: `variables`, of which `variables.first_name` is one. */
  groups: readonly (readonly [group: string, label: string])[];
  /** What may become of repeated numbers; the first one is usual. */
  duplicates?: readonly (readonly [rule: string, label: string])[];
  /** Heading of the numbers. */
  numberTitle: string;
  /** What would become of the rows. */
  countsText: (counts: ImportPreview['counts']) => string;
  submit: (counts: ImportPreview['counts']) => string;
  onDone: (result: Result) => void;
}

/** Extensions of files that the API reads. */
export const TABLE_FILES = '.csv,.tsv,.txt,.xlsx';

/** The input that chooses a file to import; choosing the same file again is a choice as well. */
export const ImportFile = ({ scope, onChoose }: { scope: Scope; onChoose: (file: File) => void }): VNode => (
  <May scope={scope} says>
    <Field name="file" label="CSV or Excel file" hint="You see what would be imported before anything is added.">
      <input
        type="file"
        accept={TABLE_FILES}
        onChange={({ currentTarget: input }) => {
          const file = input.files?.[0];
          input.value = '';
          if (file) onChoose(file);
        }}
      />
    </Field>
  </May>
);

interface DialogParts<Result> {
  file: File;
  target: ImportTarget<Result>;
  onCancel: () => void;
}

type Mapping = Readonly<Record<string, string | null>>;

/** Shows what an import of a file would do, before anything is stored: its columns with their fields, its first rows, and what is refused. */
export function ImportDialog<Result>({ file, target, onCancel }: DialogParts<Result>): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const mapping = useSignal<Mapping>({});
  const country = useSignal('');
  const duplicates = useSignal(target.duplicates?.[0]?.[0] ?? '');
  const { preview, error, percent, isReading } = usePreview(file, target, {
    columns: JSON.stringify(mapping.value),
    default_country: country.value,
    duplicates: duplicates.value,
  });
  const sent = useSignal<number | undefined>(undefined);
  const trouble = useSignal<unknown>(undefined);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    dialog.current?.showModal();
    return () => leaving.current.abort();
  }, []);
  const setField = (name: string, field: string | null): void => {
    const others = preview?.columns.filter(
      (column) => column.name !== name && field !== null && column.field === field,
    );
    mapping.value = {
      ...mapping.value,
      ...Object.fromEntries((others ?? []).map((column) => [column.name, null])),
      [name]: field,
    };
  };
  const send = async ({ columns }: ImportPreview): Promise<void> => {
    if (sent.value !== undefined) return;
    [sent.value, trouble.value] = [0, undefined];
    const fields = { default_country: country.value, duplicates: duplicates.value, columns: mappingOf(columns) };
    try {
      const show = (to: number): void => void (sent.value = to);
      const { data } = await upload<{ data: Result }>(target.path, formOf(file, fields), show, leaving.current.signal);
      target.onDone(data);
    } catch (refused) {
      if (!isAbort(refused)) trouble.value = refused;
    } finally {
      sent.value = undefined;
    }
  };
  return (
    <dialog ref={dialog} class="import-dialog" aria-labelledby={title} onClose={onCancel} data-part="import-dialog">
      <div class="stack">
        <h2 id={title}>Import {file.name}</h2>
        <Trouble error={trouble.value ?? error} />
        {preview && (
          <>
            <Options
              target={target}
              preview={preview}
              country={country.value}
              onCountry={(code) => (country.value = code)}
              duplicates={duplicates.value}
              onDuplicates={(rule) => (duplicates.value = rule)}
            />
            <Columns target={target} columns={preview.columns} onField={setField} />
            <Outcome preview={preview} text={target.countsText(preview.counts)} />
            <FirstRows preview={preview} numberTitle={target.numberTitle} />
          </>
        )}
        <p class="muted" role="status" data-part="import-progress">
          {isReading ? `Reading the file… ${percent === undefined ? '' : `${percent} %`}` : ''}
        </p>
        <div class="actions">
          {preview && (
            <ActButton
              scope={target.scope}
              class="primary"
              data-act="import"
              isBusy={isReading || sent.value !== undefined || !isUseful(preview)}
              onClick={() => isUseful(preview) && !isReading && void send(preview)}
            >
              {sent.value === undefined ? target.submit(preview.counts) : `Uploading, ${sent.value} %`}
            </ActButton>
          )}
          <button type="button" data-act="cancel-import" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </div>
    </dialog>
  );
}

const isUseful = ({ errors, counts }: ImportPreview): boolean =>
  Object.keys(errors).length === 0 && counts.rows > counts.refused;

const mappingOf = (columns: ImportPreview['columns']): string =>
  JSON.stringify(Object.fromEntries(columns.map(({ name, field }) => [name, field])));

function formOf(file: File, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== '') form.set(name, value);
  form.set('file', file);
  return form;
}

interface PreviewState {
  preview?: ImportPreview;
  error?: unknown;
  percent?: number;
  isReading: boolean;
}

/** Reads the file again when a choice changes; the last preview stays until then. */
function usePreview(
  file: File,
  { previewPath }: Pick<ImportTarget<unknown>, 'previewPath'>,
  fields: Readonly<Record<string, string>>,
): PreviewState {
  const state = useSignal<PreviewState>({ isReading: true });
  useEffect(() => {
    const replaced = new AbortController();
    const { preview } = state.value;
    state.value = { preview, isReading: true };
    const show = (percent: number): void => void (state.value = { preview, percent, isReading: true });
    upload<{ data: ImportPreview }>(previewPath, formOf(file, fields), show, replaced.signal).then(
      ({ data }) => (state.value = { preview: data, isReading: false }),
      (error: unknown) => {
        if (!isAbort(error)) state.value = { preview, error, isReading: false };
      },
    );
    return () => replaced.abort();
  }, [file, JSON.stringify(fields)]);
  return state.value;
}

interface OptionsParts {
  target: Pick<ImportTarget<unknown>, 'duplicates'>;
  preview: ImportPreview;
  country: string;
  onCountry: (code: string) => void;
  duplicates: string;
  onDuplicates: (rule: string) => void;
}

function Options({ target, preview, country, onCountry, duplicates, onDuplicates }: OptionsParts): VNode {
  const chosen = country || (preview.default_country ?? '');
  return (
    <div class="pair">
      <Field name="default_country" label="Default country" hint="Of numbers without + and country code.">
        <CountryChoice none={chosen === '' ? 'None' : undefined} selected={chosen} onChange={onCountry} />
      </Field>
      {target.duplicates && (
        <Field name="duplicates" label="Numbers that are there already">
          <Choice options={target.duplicates} selected={duplicates} onChange={onDuplicates} />
        </Field>
      )}
    </div>
  );
}

interface ColumnsParts {
  target: Pick<ImportTarget<unknown>, 'fields' | 'groups'>;
  columns: ImportPreview['columns'];
  onField: (name: string, field: string | null) => void;
}

/** `First name` as `first_name`. */
const nameOf = (column: string): string =>
  column
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 64) || 'value';

const Columns = ({ target: { fields, groups }, columns, onField }: ColumnsParts): VNode => (
  <section class="stack tight-stack" aria-label="Columns">
    <h3>Columns</h3>
    <ul class="plain columns">
      {columns.map(({ name, field, samples }, index) => {
        const isNamed = fields.some(([one]) => one === field);
        const [group] = groups.find(([one]) => !isNamed && field?.startsWith(`${one}.`)) ?? [];
        const choose = (value: string): void =>
          onField(
            name,
            value === '' ? null : groups.some(([one]) => one === value) ? `${value}.${nameOf(name)}` : value,
          );
        return (
          <li key={`${index} ${name}`} class="import-column" data-column={name}>
            <div class="column-name">
              <strong>{name || 'Without a name'}</strong>
              <span class="muted small">{samples.join(' · ') || 'Empty'}</span>
            </div>
            <Choice
              aria-label={`Field of the column ${name}`}
              options={[['', 'Ignored'], ...fields, ...groups]}
              selected={group ?? field ?? ''}
              onChange={choose}
            />
            {group !== undefined && (
              <input
                aria-label={`Name for the column ${name}`}
                maxLength={64}
                autocomplete="off"
                defaultValue={field?.slice(group.length + 1)}
                onChange={({ currentTarget }) =>
                  onField(name, `${group}.${currentTarget.value.trim() || nameOf(name)}`)
                }
              />
            )}
          </li>
        );
      })}
    </ul>
  </section>
);

const Outcome = ({ preview, text }: { preview: ImportPreview; text: string }): VNode => (
  <section class="stack tight-stack" aria-label="Result" aria-live="polite" data-part="import-outcome">
    <h3>Result</h3>
    {Object.values(preview.errors)
      .flat()
      .map((sentence) => (
        <p key={sentence} class="field-error">
          {sentence}
        </p>
      ))}
    {preview.counts.rows > 0 && (
      <p>
        <strong>{text}</strong>
        {!preview.is_complete &&
          ` These are the first ${preview.counts.rows.toLocaleString('en-US')} rows of the file.`}
      </p>
    )}
    {preview.refusals.length > 0 && (
      <ul class="small">
        {preview.refusals.map(({ field, message, rows, lines }) => (
          <li key={`${field} ${message}`}>
            {message} {plural(rows, 'row')}: line {lines.join(', ')}
            {rows > lines.length && ' …'}
          </li>
        ))}
      </ul>
    )}
  </section>
);

const FirstRows = ({
  preview: { columns, rows },
  numberTitle,
}: {
  preview: ImportPreview;
  numberTitle: string;
}): VNode => (
  <section class="stack tight-stack" aria-label="First rows">
    <h3>First rows</h3>
    <div class="table-place" tabIndex={0} role="region" aria-label="First rows of the file">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">{numberTitle}</th>
            {columns.map(({ name }, index) => (
              <th key={index} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, cells, number, problem }) => (
            <tr key={line} data-line={line}>
              <td>{line}</td>
              <td class={problem === null ? 'number-text' : 'bad-text'}>{problem ?? number ?? '–'}</td>
              {columns.map((_, index) => (
                <td key={index}>{cells[index]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);
