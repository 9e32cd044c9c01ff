import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, ask, session } from '../api/client.js';
import { apiPath } from '../api/path.js';
import { Field, Form, textOf } from '../components/forms.js';
import { Mark } from '../components/icons.js';
import { CommandLine, Trouble, useTitle } from '../components/parts.js';

const Brand = (): VNode => (
  <div class="brand">
    <Mark />
    <span>Trunkline</span>
  </div>
);

/** `reason`: why the user must sign in again. */
export function SignIn({ reason, onDone }: { reason: string | undefined; onDone: () => void }): VNode {
  useTitle('Sign in');
  const send = async (values: FormData): Promise<void> => {
    await check(textOf(values, 'token'));
    onDone();
  };
  return (
    <section class="sign-in card">
      <Brand />
      <h1>Sign in</h1>
      <p class="muted">Use an API token. It is stored in this tab only and removed when you close it.</p>
      <Trouble error={reason === undefined ? undefined : new Error(reason)} />
      <Form label="Sign in" submit="Sign in" busy="Signing in…" send={send}>
        <Field name="token" label="Token">
          <input type="password" autocomplete="off" spellcheck={false} required />
        </Field>
      </Form>
      <details>
        <summary>How do I get a token?</summary>
        <p class="muted">npm start prints a token, and a link that signs you in. On your own server, issue one:</p>
        <CommandLine text="bin/trunkline tokens issue --account NAME" />
      </details>
    </section>
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

/** Asks whether the token of a link may replace the session of this tab. */
export function SwitchSession({ keep, use }: { keep: () => void; use: () => void }): VNode {
  useTitle('Change the session?');
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <section class="sign-in card" role="alertdialog" aria-labelledby="switch-title" aria-describedby="switch-text">
      <Brand />
      <h1 id="switch-title">Change the session?</h1>
      <p id="switch-text">
        The link contains another token, perhaps of another account. You are already signed in here. Use the token of
        the link only if you trust its source: everything you enter then goes to that account.
      </p>
      <div class="actions">
        <button ref={first} type="button" class="primary" data-act="keep" onClick={keep}>
          Stay signed in
        </button>
        <button type="button" data-act="use" onClick={use}>
          Use the token of the link
        </button>
      </div>
    </section>
  );
}
