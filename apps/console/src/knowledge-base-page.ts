import { recordPage } from './agent-page.js';
import { announce } from './announce.js';
import { type ApiPath, apiPath } from './api-path.js';
import { ask } from './api.js';
import { h } from './dom.js';
import { field, form } from './forms.js';
import type { Page, Visit } from './router.js';
import type { KnowledgeBase, KnowledgeBaseChanges } from './types.js';

/** The page where a knowledge base is changed: its title and, of a text, the text. */
export function openKnowledgeBase({ params, signal }: Visit): Page {
  const { agent = '', id = '' } = params;
  const path = apiPath`agents/${agent}/knowledge-bases/${id}`;
  const back = `#/knowledge/${agent}`;
  const load = async (): Promise<HTMLElement> => {
    const { data } = await ask<{ data: KnowledgeBase }>('GET', path, { signal });
    return changeForm(data, path, back);
  };
  return recordPage({ title: 'Edit source', back, backLabel: 'Knowledge', what: 'the source', load }, signal);
}

function changeForm(one: KnowledgeBase, path: ApiPath, back: string): HTMLElement {
  const title = h('input', { name: 'title', maxlength: 255, autocomplete: 'off', value: one.title });
  const content = h('textarea', { name: 'content', rows: 16 });
  content.value = one.content ?? '';
  const isText = one.source_type === 'text';
  const send = async (): Promise<void> => {
    const body: KnowledgeBaseChanges = { title: title.value, ...(isText && { content: content.value }) };
    await ask('PATCH', path, { body });
    announce(`${title.value} was changed.`);
    location.hash = back;
  };
  return form(
    { label: 'Edit source', class: 'card stack', submit: 'Save', busy: 'Saving…', send, cancel: back },
    field({ name: 'title', label: 'Title', input: title }),
    isText
      ? field({
          name: 'content',
          label: 'Text',
          input: content,
          hint: 'Plain or Markdown. Searches find the old text until this one is saved.',
        })
      : h('p', { class: 'hint' }, `From ${one.source_reference ?? one.file_name ?? ''}. Another one is added anew.`),
  );
}
