import { announce } from './notices.js';
import type { ApiPath } from './api-path.js';
import { ask, authorization, refused, ApiError, urlOf } from './api.js';
import { fill, h, newId, styled } from './dom.js';
import { bytes } from './format.js';
import { field, form } from './forms.js';
import { icon } from './icons.js';
import { reportIgnored } from './ignored-notice.js';

const TYPES = ['file', 'text', 'url'] as const;
type Type = (typeof TYPES)[number];
const LABELS: Record<Type, string> = { file: 'File', text: 'Text', url: 'Web page' };
const ACCEPTED = '.pdf,.txt,.doc,.docx,.md,.csv';

/** Adds a file, a text or a web page to an agent's knowledge. */
export function addKnowledge(path: ApiPath, signal: AbortSignal, onAdded: () => void): HTMLElement {
  const place = h('div', null);
  const done = (title: string): void => {
    announce(`${title} was added.`);
    onAdded();
  };
  const forms: Record<Type, () => HTMLElement> = {
    file: () => fileForm(path, signal, done),
    text: () => jsonForm('text', path, done),
    url: () => jsonForm('url', path, done),
  };
  const chips = TYPES.map((type) =>
    h('button', { type: 'button', class: 'chip', 'data-type': type, onclick: () => choose(type) }, LABELS[type]),
  );
  const choose = (type: Type): void => {
    for (const chip of chips) chip.setAttribute('aria-pressed', String(chip.dataset['type'] === type));
    fill(place, forms[type]());
  };
  choose('file');
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'add-title' },
    h('h2', { id: 'add-title' }, 'Add knowledge'),
    h('div', { class: 'chips', role: 'group', 'aria-label': 'From' }, chips),
    place,
  );
}

const titleInput = (): HTMLInputElement => h('input', { name: 'title', maxlength: 255, autocomplete: 'off' });

function jsonForm(type: 'text' | 'url', path: ApiPath, done: (title: string) => void): HTMLElement {
  const title = titleInput();
  const content =
    type === 'text'
      ? h('textarea', { name: 'content', rows: 7 })
      : h('input', {
          type: 'url',
          name: 'source_reference',
          placeholder: 'https://example.com/faq',
          autocomplete: 'off',
        });
  const send = async (): Promise<void> => {
    const body = { title: title.value, source_type: type, [content.name]: content.value };
    await ask('POST', path, { body });
    done(title.value);
    for (const input of [title, content]) input.value = '';
  };
  return form(
    { label: `Add a ${LABELS[type].toLowerCase()}`, submit: 'Add', busy: 'Adding…', send },
    field({ name: 'title', label: 'Title', input: title }),
    type === 'text'
      ? field({ name: 'content', label: 'Text', input: content })
      : field({
          name: 'source_reference',
          label: 'Address',
          input: content,
          hint: 'The page is fetched once; fetch it again after it has changed.',
        }),
  );
}

function fileForm(path: ApiPath, signal: AbortSignal, done: (title: string) => void): HTMLElement {
  const title = titleInput();
  const file = h('input', { type: 'file', name: 'file', accept: ACCEPTED, id: newId('file') });
  const chosen = h('span', { class: 'muted small' }, 'PDF, TXT, DOC, DOCX, MD or CSV, up to 10 MB');
  const sent = new Sent();
  const send = async (): Promise<void> => {
    const body = new FormData();
    body.set('title', title.value);
    body.set('source_type', 'file');
    const one = file.files?.[0];
    if (one) body.set('file', one);
    try {
      await upload(path, body, (share) => sent.show(share), signal);
    } finally {
      sent.hide();
    }
    done(title.value);
    element.reset();
    show();
  };
  const show = (): void => {
    const one = file.files?.[0];
    fill(chosen, one ? `${one.name}, ${bytes(one.size)}` : 'PDF, TXT, DOC, DOCX, MD or CSV, up to 10 MB');
    if (one && title.value === '') title.value = one.name.replace(/\.[^.]+$/, '').replaceAll(/[-_]+/g, ' ');
  };
  file.addEventListener('change', show);
  const element: HTMLFormElement = form(
    { label: 'Add a file', submit: 'Upload', busy: 'Uploading…', send },
    h(
      'div',
      { class: 'drop' },
      icon('upload'),
      field({ name: 'file', label: 'Choose a file, or drop it here', input: file }),
      chosen,
    ),
    field({ name: 'title', label: 'Title', input: title }),
    sent.node,
  );
  takeDrops(element, file, show);
  return element;
}

/** A file may be dropped anywhere on the form. */
function takeDrops(element: HTMLElement, file: HTMLInputElement, onFile: () => void): void {
  element.addEventListener('dragover', (event) => {
    event.preventDefault();
    element.classList.add('dragged');
  });
  element.addEventListener('dragleave', () => element.classList.remove('dragged'));
  element.addEventListener('drop', (event) => {
    event.preventDefault();
    element.classList.remove('dragged');
    if (!event.dataTransfer?.files.length) return;
    file.files = event.dataTransfer.files;
    onFile();
  });
}

/** Progress of the upload. */
class Sent {
  private readonly fill = h('span', null);
  private readonly bar = h(
    'div',
    { class: 'progress', role: 'progressbar', 'aria-label': 'Upload', 'aria-valuemin': 0, 'aria-valuemax': 100 },
    this.fill,
  );
  private readonly label = h('span', { class: 'muted small' });
  readonly node = h('div', { class: 'progress-line', hidden: true, 'data-role': 'upload' }, this.bar, this.label);

  show(share: number): void {
    const percent = Math.round(share * 100);
    this.node.hidden = false;
    this.node.dataset['seen'] = String(percent);
    this.bar.setAttribute('aria-valuenow', String(percent));
    styled(this.fill, { width: `${percent}%` });
    fill(this.label, percent < 100 ? `Sent ${percent} %` : 'Sent; the service is storing it');
  }

  hide(): void {
    this.node.hidden = true;
  }
}

/**
 * Sends a form and reports the progress of the upload: XMLHttpRequest does so, fetch() does not.
 * Throws ApiError when the API refuses it.
 */
function upload<T>(
  path: ApiPath,
  form: FormData,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const url = urlOf(path);
    request.open('POST', url);
    for (const [name, value] of Object.entries({ Accept: 'application/json', ...authorization() }))
      request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => {
      reportIgnored('POST', url, (name) => request.getResponseHeader(name));
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as T);
      else reject(refused(request.status, request.responseText, request.getResponseHeader('retry-after')));
    });
    request.addEventListener('error', () =>
      reject(new ApiError(0, 'The upload was interrupted. Is the service reachable?')),
    );
    request.addEventListener('abort', () => reject(new DOMException('The page was left.', 'AbortError')));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}
