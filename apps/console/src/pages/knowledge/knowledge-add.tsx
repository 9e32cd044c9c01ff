import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ask } from '../../api/client.js';
import type { ApiPath } from '../../api/path.js';
import { upload } from '../../api/upload.js';
import { Chips, Field, Form, textOf } from '../../components/forms.js';
import { Icon } from '../../components/icons.js';
import { announce } from '../../components/parts.js';
import { bytes } from '../../logic/format.js';

const LABELS = { file: 'File', text: 'Text', url: 'Web page' } as const;
type Type = keyof typeof LABELS;
const ACCEPTED = '.pdf,.txt,.doc,.docx,.md,.csv';

interface AddParts {
  path: ApiPath;
  onAdded: (title: string) => void;
}

/** Adds a file, a text or a web page to an agent's knowledge. */
export function AddKnowledge({ path, onAdded }: { path: ApiPath; onAdded: () => void }): VNode {
  const type = useSignal<Type>('file');
  const done = (title: string): void => {
    announce(`${title} was added.`);
    onAdded();
  };
  return (
    <section class="card" aria-labelledby="add-title">
      <h2 id="add-title">Add knowledge</h2>
      <Chips
        label="Source type"
        data="type"
        options={Object.entries(LABELS) as [Type, string][]}
        chosen={type.value}
        onChoose={(chosen) => (type.value = chosen)}
      />
      {type.value === 'file' ? (
        <FileForm path={path} onAdded={done} />
      ) : (
        <JsonForm key={type.value} type={type.value} path={path} onAdded={done} />
      )}
    </section>
  );
}

function JsonForm({ type, path, onAdded }: AddParts & { type: 'text' | 'url' }): VNode {
  const name = type === 'text' ? 'content' : 'source_reference';
  const send = async (values: FormData, form: HTMLFormElement): Promise<void> => {
    const title = textOf(values, 'title');
    await ask('POST', path, { body: { title, source_type: type, [name]: textOf(values, name) } });
    onAdded(title);
    form.reset();
  };
  return (
    <Form scope="knowledge:write" label={`Add a ${LABELS[type].toLowerCase()}`} submit="Add" busy="Adding…" send={send}>
      <Field name="title" label="Title">
        <input maxLength={255} autocomplete="off" />
      </Field>
      {type === 'text' ? (
        <Field name="content" label="Text">
          <textarea rows={7} />
        </Field>
      ) : (
        <Field name="source_reference" label="URL" hint="The page is fetched once. Refetch it when it changes.">
          <input type="url" placeholder="https://example.com/faq" autocomplete="off" />
        </Field>
      )}
    </Form>
  );
}

/** Aborts when the form is left. */
function useLeaving(): AbortSignal {
  const leaving = useMemo(() => new AbortController(), []);
  useEffect(() => () => leaving.abort(), []);
  return leaving.signal;
}

function FileForm({ path, onAdded }: AddParts): VNode {
  const leaving = useLeaving();
  const input = useRef<HTMLInputElement>(null);
  const chosen = useSignal<File | undefined>(undefined);
  const title = useSignal('');
  const sent = useSignal({ percent: 0, isOver: true });
  const choose = (): void => {
    const file = input.current?.files?.[0];
    chosen.value = file;
    if (file && title.value === '') title.value = titleOf(file);
  };
  const send = async (): Promise<void> => {
    const show = (percent: number): void => void (sent.value = { percent, isOver: false });
    try {
      await upload(path, bodyOf(title.value, chosen.value), show, leaving);
    } finally {
      sent.value = { ...sent.value, isOver: true };
    }
    onAdded(title.value);
    title.value = '';
    chosen.value = undefined;
    if (input.current) input.current.value = '';
  };
  const take = (files: FileList): void => {
    if (input.current) input.current.files = files;
    choose();
  };
  return (
    <DropPlace onDrop={take}>
      <Form scope="knowledge:write" label="Add a file" submit="Upload" busy="Uploading…" send={send}>
        <div class="drop">
          <Icon name="upload" />
          <Field name="file" label="Choose a file or drop it here">
            <input type="file" accept={ACCEPTED} ref={input} onChange={choose} />
          </Field>
          <span class="muted small">{factsOf(chosen.value)}</span>
        </div>
        <Field name="title" label="Title">
          <input
            maxLength={255}
            autocomplete="off"
            value={title.value}
            onInput={(event) => (title.value = event.currentTarget.value)}
          />
        </Field>
        <Sent percent={sent.value.percent} isOver={sent.value.isOver} />
      </Form>
    </DropPlace>
  );
}

/** `price-list.csv` as a title: `price list`. */
const titleOf = ({ name }: File): string => name.replace(/\.[^.]+$/, '').replaceAll(/[-_]+/g, ' ');

const factsOf = (file: File | undefined): string =>
  file ? `${file.name}, ${bytes(file.size)}` : 'PDF, TXT, DOC, DOCX, MD or CSV, up to 10 MB';

function bodyOf(title: string, file: File | undefined): FormData {
  const body = new FormData();
  body.set('title', title);
  body.set('source_type', 'file');
  if (file) body.set('file', file);
  return body;
}

/** A place on which files may be dropped anywhere. */
function DropPlace({ onDrop, children }: { onDrop: (files: FileList) => void; children: ComponentChildren }): VNode {
  const isDragged = useSignal(false);
  const drag = (event: DragEvent, isOver: boolean): void => {
    event.preventDefault();
    isDragged.value = isOver;
  };
  return (
    <div
      class={isDragged.value ? 'dragged' : ''}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        if (event.dataTransfer?.files.length) onDrop(event.dataTransfer.files);
      }}
    >
      {children}
    </div>
  );
}

/** Progress of the upload. */
const Sent = ({ percent, isOver }: { percent: number; isOver: boolean }): VNode => (
  <div class="progress-line" hidden={isOver} data-role="upload" data-seen={percent}>
    <div
      class="progress"
      role="progressbar"
      aria-label="Upload"
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <span style={{ width: `${percent}%` }} />
    </div>
    <span class="muted small">{percent < 100 ? `Uploading ${percent} %` : 'Uploaded, saving…'}</span>
  </div>
);
