import { apiPath } from './api-path.js';
import { ApiError, ask } from './api.js';
import { commandLine } from './buttons.js';
import { h } from './dom.js';
import { field, form } from './forms.js';
import { mark } from './icons.js';
import { Trouble } from './notices.js';
import { session } from './session.js';

/** `reason`: why the user must sign in again. */
export function signIn(onDone: () => void, reason?: string): HTMLElement {
  const input = h('input', {
    type: 'password',
    name: 'token',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
  });
  const why = new Trouble();
  if (reason !== undefined) why.show(new Error(reason));
  const send = async (): Promise<void> => {
    why.clear();
    await check(input.value.trim());
    onDone();
  };
  return h(
    'section',
    { class: 'sign-in card' },
    h('div', { class: 'brand' }, mark(), h('span', null, 'Trunkline')),
    h('h1', null, 'Sign in'),
    h('p', { class: 'muted' }, 'Use an API token. It is stored in this tab only and removed when you close it.'),
    why.node,
    form(
      { label: 'Sign in', submit: 'Sign in', busy: 'Signing in…', send },
      field({ name: 'token', label: 'Token', input }),
    ),
    h(
      'details',
      null,
      h('summary', null, 'How do I get a token?'),
      h(
        'p',
        { class: 'muted' },
        'npm start prints a token, and a link that signs you in. On your own server, issue one:',
      ),
      commandLine('bin/trunkline tokens issue --account NAME'),
    ),
  );
}

/** Throws the error of the API for the token; a token that may not list calls is valid nevertheless. */
async function check(token: string): Promise<void> {
  const wrong = (sentence: string): ApiError => new ApiError(422, sentence, { token: [sentence] });
  if (!/^[\w-]+$/.test(token)) throw wrong('A token consists of letters, digits, - and _, such as tk_….');
  session.begin(token);
  try {
    await ask('GET', apiPath`calls`, { query: { per_page: 1 } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return;
    session.end();
    throw error instanceof ApiError && error.status === 401 ? wrong('The API does not know this token.') : error;
  }
}

interface Choices {
  keep: () => void;
  use: () => void;
}

/** Asks whether the token of a link may replace the session of this tab. */
export const switchSession = ({ keep, use }: Choices): HTMLElement =>
  h(
    'section',
    {
      class: 'sign-in card',
      role: 'alertdialog',
      'aria-labelledby': 'switch-title',
      'aria-describedby': 'switch-text',
    },
    h('div', { class: 'brand' }, mark(), h('span', null, 'Trunkline')),
    h('h1', { id: 'switch-title' }, 'Change the session?'),
    h(
      'p',
      { id: 'switch-text' },
      'The link contains another token, perhaps of another account. You are already signed in here. ',
      'Use the token of the link only if you trust its source: everything you enter then goes to that account.',
    ),
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', class: 'primary', 'data-act': 'keep', autofocus: true, onclick: keep },
        'Stay signed in',
      ),
      h('button', { type: 'button', 'data-act': 'use', onclick: use }, 'Use the token of the link'),
    ),
  );
